import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { chat } from "../../support/clients/call-endpoints.ts";
import { sendBytes } from "../../support/clients/send-bytes.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let gateway: TestGateway;
let openai: ServedProvider;

beforeAll(async () => {
  openai = serveProvider("openai");
  gateway = await startTestGateway({ baseUrls: { openai: openai.url } });
});
afterAll(async () => {
  await gateway.stop();
  await openai.stop();
});

const text = JSON.stringify(chat.body);
const hidden = "GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n";
const sized = `content-length: ${text.length}`;
const request = (headers: readonly string[], body: string, line = `POST ${chat.path} HTTP/1.1`) =>
  [
    line,
    "host: x",
    `authorization: Bearer ${gateway.liveKey}`,
    "x-provider-key: k",
    "content-type: application/json",
    ...headers,
    "",
    body,
  ].join("\r\n");

/** The response, and whether the provider got the request. */
async function send(bytes: string, patienceMs = 1500) {
  const calls = openai.count;
  const answer = await sendBytes(gateway.url, [Buffer.from(bytes, "latin1")], { patienceMs });
  return { ...answer, calls: openai.count - calls, answers: answer.text.split("HTTP/1.1 ").length - 1 };
}

/** 505 is for an unknown version of HTTP. */
const isRefusal = (status: number) => (status >= 400 && status < 500) || status === 505;

describe("requests that two servers could interpret differently", () => {
  const chunkedBody = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  const shapes: [string, () => string][] = [
    ["Content-Length and chunked", () => request([sized, "transfer-encoding: chunked"], chunkedBody)],
    [
      "chunked and a Content-Length of 0",
      () => request(["transfer-encoding: chunked", "content-length: 0"], chunkedBody + hidden),
    ],
    ["two different Content-Lengths", () => request([sized, "content-length: 3"], text + hidden)],
    ["a Content-Length that is no number", () => request(["content-length: 5x"], text)],
    ["a negative Content-Length", () => request(["content-length: -1"], text)],
    ["a signed Content-Length", () => request([`content-length: +${text.length}`], text)],
    ["an unknown transfer encoding", () => request([sized, "transfer-encoding: gzip"], text)],
    ["a disguised transfer encoding", () => request([sized, "transfer-encoding: xchunked"], chunkedBody)],
    [
      "chunked twice",
      () => request(["transfer-encoding: chunked", "transfer-encoding: chunked", sized], chunkedBody),
    ],
    [
      "a chunk size that is not a number",
      () => request(["transfer-encoding: chunked"], `zz\r\n${text}\r\n0\r\n\r\n`),
    ],
    [
      "a chunk longer than its declared size",
      () => request(["transfer-encoding: chunked"], `5\r\n${text}\r\n0\r\n\r\n`),
    ],
    ["two Host lines", () => request([sized, "host: y"], text)],
    ["a space before the colon", () => request([sized, "x-agent-id : a"], text)],
    ["a folded header line", () => request([sized, "x-agent-id: a\r\n b"], text)],
    ["a header without a name", () => request([sized, ": a"], text)],
    ["a null in a header's name", () => request([sized, "x-age\u0000nt-id: a"], text)],
    ["a version that does not exist", () => request([sized], text, `POST ${chat.path} HTTP/9.9`)],
    ["no path", () => request([sized], text, "POST  HTTP/1.1")],
    ["no version", () => request([sized], text, `POST ${chat.path}`)],
    ["not HTTP at all", () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n"],
  ];
  for (const [what, bytes] of shapes) {
    it(`rejects ${what}, and forwards nothing`, async () => {
      const { status, calls, answers } = await send(bytes());
      expect(calls).toBe(0);
      // Closing without an answer is acceptable, but a success never is.
      if (status !== null) expect([isRefusal(status), answers]).toEqual([true, 1]);
    });
  }

  it("sends no call without an event when a second request follows the first", async () => {
    const events = gateway.events().length;
    const calls = openai.count;
    const { answers } = await send(request([sized], text) + request([sized, "connection: close"], text));
    await eventually("nothing is open", () => gateway.reader.openIntents() === 0);
    expect(gateway.events().length - events).toBe(openai.count - calls);
    expect(answers).toBeLessThanOrEqual(openai.count - calls);
  });

  for (const [what, more] of [
    ["another call", () => request([sized, "connection: close"], text)],
    ["another request", () => "GET /health HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["a stray line", () => "\r\n"],
    ["what is no HTTP", () => "x\r\n\r\n"],
  ] as const) {
    // The server then closes the connection of the first one, which could never be answered.
    it(`sends no call followed by ${what} in the same packet`, async () => {
      const events = gateway.events().length;
      for (let time = 0; time < 10; time++) {
        const { status, calls } = await send(request([sized], text) + more());
        expect([calls, status === null || status === 400]).toEqual([0, true]);
      }
      expect([gateway.events().length, gateway.logged]).toEqual([events, []]);
    });
  }

  it("accepts two equal Content-Lengths as one, or rejects them", async () => {
    const { status, calls } = await send(request([sized, sized, "connection: close"], text));
    expect([status === 200 ? calls : 0, [200, 400].includes(status ?? 400)]).toEqual([
      status === 200 ? 1 : 0,
      true,
    ]);
  });
});

describe("header bombs", () => {
  for (const [what, headers] of [
    ["ten thousand headers", Array.from({ length: 10_000 }, (_, index) => `x-${index}: a`)],
    ["one header of a megabyte", [`x-bomb: ${"a".repeat(1_048_576)}`]],
    ["a key of a megabyte", [`x-api-key: ${"a".repeat(1_048_576)}`]],
  ] as const) {
    it(`rejects ${what} and survives`, async () => {
      const { status, calls } = await send(request([sized, ...headers], text));
      expect(calls).toBe(0);
      if (status !== null) expect(isRefusal(status)).toBe(true);
      expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    });
  }

  it("rejects a URL of a megabyte and survives", async () => {
    const { status, calls } = await send(request([sized], text, `POST /${"a".repeat(1_048_576)} HTTP/1.1`));
    expect(calls).toBe(0);
    if (status !== null) expect(isRefusal(status)).toBe(true);
  });
});

describe("what the provider gets", () => {
  it("GW-015 contains only those client headers that the provider lists", async () => {
    await gateway.post(chat.path, chat.body, {
      cookie: "session=1",
      "x-forwarded-for": "10.0.0.1",
      "x-internal": "secret",
      "x-agent-id": "a",
      "x-session-id": "s",
      "proxy-authorization": "Basic x",
    });
    const heard = openai.requests.at(-1)?.headers ?? {};
    const known = [
      "accept",
      "accept-encoding",
      "authorization",
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
    ];
    expect(Object.keys(heard).sort()).toEqual(known);
  });

  it("cannot be changed by the path: an escaped or doubled slash reaches no endpoint", async () => {
    for (const path of [
      "/v1/chat//completions",
      "/v1/chat%2fcompletions",
      "/v1/./chat/completions/",
      "/v1/chat/completions/",
      "//v1/chat/completions",
    ]) {
      const closing = request([sized, "connection: close"], text, `POST ${path} HTTP/1.1`);
      const { status, calls } = await send(closing, 60_000);
      expect([path, status, calls]).toEqual([path, 404, 0]);
    }
  });
});
