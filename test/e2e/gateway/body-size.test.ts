import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type CallEndpoint, callEndpoints } from "../../support/clients/call-endpoints.ts";
import { sendBytes } from "../../support/clients/send-bytes.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const LIMIT = 10_485_760;
const tooLarge = { error: "the request body is larger than 10485760 bytes" };

let gateway: TestGateway;
let provider: ServedProvider;

beforeAll(async () => {
  provider = serveProvider("openai", {
    records: false,
    answer: () => Response.json({ error: { message: "enough", type: "x", code: "x" } }, { status: 418 }),
  });
  gateway = await startTestGateway({ baseUrls: { openai: provider.url, anthropic: provider.url } });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

/** A valid body of exactly this many bytes. */
function bodyOf({ body }: CallEndpoint, bytes: number): string {
  const text = JSON.stringify({ ...body, metadata: { filler: "" } });
  return text.replace('"filler":""', `"filler":"${"x".repeat(bytes - text.length)}"`);
}

/** Sent as it is produced, so that its length is unknown in advance. */
function chunked(text: string): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(new Uint8Array(bytes.subarray(at, at + 65_536)));
      at += 65_536;
    },
  });
}

for (const endpoint of callEndpoints) {
  describe(`POST ${endpoint.path}`, () => {
    for (const [how, send] of [
      ["with Content-Length", (text: string) => text],
      ["chunked, without Content-Length", chunked],
    ] as const) {
      const post = (bytes: number) =>
        fetch(gateway.url + endpoint.path, {
          method: "POST",
          headers: gateway.headers(),
          body: send(bodyOf(endpoint, bytes)),
        });

      it(`GW-026 accepts exactly 10,485,760 bytes ${how}`, async () => {
        const calls = provider.count;
        expect((await post(LIMIT)).status).toBe(418);
        expect(provider.count).toBe(calls + 1);
      });

      it(`GW-026 answers 413 to one byte more ${how}, GW-038 counts it, and sends nothing`, async () => {
        const calls = provider.count;
        const events = gateway.events().length;
        const before = await rejected();
        const answer = await post(LIMIT + 1);
        expect([answer.status, await answer.json()]).toEqual([413, tooLarge]);
        expect([provider.count, gateway.events().length]).toEqual([calls, events]);
        expect((await rejected()) - before).toBe(1);
      });
    }
  });
}

async function rejected(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/code="payload_too_large"\} (\d+)/.exec(text)?.[1] ?? 0);
}

const head = (more: string) =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.liveKey}\r\n` +
  `x-provider-key: k\r\ncontent-type: application/json\r\n${more}\r\n\r\n`;

describe("an announced body", () => {
  it("GW-026 is rejected by its declared length, before its first byte", async () => {
    const answer = await sendBytes(gateway.url, [head("content-length: 99999999999")]);
    expect([answer.status, answer.body]).toEqual([413, JSON.stringify(tooLarge)]);
  });

  it("GW-026 that does not end is rejected once it is too large, and not stored", async () => {
    const piece = `100000\r\n${"x".repeat(0x100000)}\r\n`;
    const answer = await sendBytes(gateway.url, [
      head("transfer-encoding: chunked"),
      ...Array(40).fill(piece),
    ]);
    expect(answer.status).toBe(413);
    await eventually("the server answers others", async () => (await fetch(`${gateway.url}/health`)).ok);
  });

  it("that never arrives leaves nothing behind when the client disconnects", async () => {
    const events = gateway.events().length;
    const calls = provider.count;
    await sendBytes(gateway.url, [head("content-length: 500"), '{"model"'], { patienceMs: 50 });
    expect([gateway.events().length, provider.count]).toEqual([events, calls]);
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  });
});
