import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type CallRoute, callRoutes } from "../support/clients/call-routes.ts";
import { inputTokens, outputTokens } from "../support/clients/wire-formats.ts";
import { expectOwnError, type FaultLab, startFaultLab } from "../support/labs/fault-lab.ts";
import { writeChunk, writeChunkedHead, writeHead, writeLastChunk } from "../support/servers/http-bytes.ts";
import type { Step } from "../support/servers/scripted-server.ts";
import { eventually } from "../support/waiting/eventually.ts";

const pieces = ["Grüße ", "aus ", "東京 ", "🗼!"];

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab();
});
afterAll(() => lab.stop());

/** What the client read from a stream that ended: at least a head, then text and one last frame. */
async function expectBroken(route: CallRoute, answer: Response, sent: string): Promise<void> {
  if (answer.status !== 200) {
    await expectOwnError(answer, 502);
  } else {
    const stream = await answer.text();
    expect(route.client.errorOf(stream)?.message).toContain("did not complete its answer");
    expect(route.client.isComplete(stream)).toBe(false);
    // No character is lost, invented or repeated.
    expect(pieces.join("")).toStartWith(route.client.streamText(stream));
  }
  const event = await lab.event(answer);
  expect(event).toMatchObject({ status: "error", http_status: 200, error_code: "provider_unreachable" });
  const wholeFrames = sent.slice(0, sent.lastIndexOf("\n\n") + 2);
  const hadText = wholeFrames.includes(pieces[0] ?? "");
  if (hadText) {
    expect(event.usage_source).not.toBe("none");
    expect(event.output_tokens).toBeGreaterThan(0);
    expect(event.cost_microcents).toBeGreaterThan(0);
  }
}

/** The client's stream, passed to `onText` as it grows. */
async function readStream(answer: Response, onText: (soFar: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let soFar = "";
  for await (const bytes of answer.body ?? []) {
    soFar += decoder.decode(bytes, { stream: true });
    onText(soFar);
  }
  return soFar;
}

/** After the given number of frames, once the client has read their text, the provider does `how`. */
async function breakAfter(route: CallRoute, count: number, how: Step): Promise<void> {
  const sent = route.wire.frames(pieces).slice(0, count);
  const text = pieces.filter(piece => sent.some(frame => frame.includes(piece))).join("");
  const { promise: seen, resolve: see } = Promise.withResolvers<void>();
  lab.play([writeChunkedHead(), ...sent.map(writeChunk), { do: "until", promise: seen }, how]);
  const pending = lab.call(route, true);
  if (text === "") {
    await eventually("the call is sent", () => lab.openConnections() === 1);
    see();
    await expectBroken(route, await pending, "");
    return;
  }
  const answer = await pending;
  expect(answer.status).toBe(200);
  const stream = await readStream(answer, soFar => {
    const whole = soFar.slice(0, soFar.lastIndexOf("\n\n") + 2);
    if (route.client.streamText(whole) === text) see();
  });
  await expectBroken(route, new Response(stream, { headers: answer.headers }), sent.join(""));
}

describe("GW-033 GW-036 MON-010 a stream reset between any two frames ends with an error frame and one event", () => {
  for (const route of callRoutes) {
    it(route.name, async () => {
      const { length } = route.wire.frames(pieces);
      for (let count = 0; count < length; count += 1) await breakAfter(route, count, { do: "reset" });
    });
  }
});

/** `end` closes properly but too early: chunked with its last chunk, or without any framing. */
const cuts: { name: string; script(bytes: Uint8Array): Step[] }[] = [
  {
    name: "its last chunk came",
    script: bytes => [writeChunkedHead(), writeChunk(bytes), writeLastChunk],
  },
  {
    name: "the connection is closed",
    script: bytes => [
      writeHead(200, { "content-type": "text/event-stream" }),
      { do: "write", bytes },
      { do: "end" },
    ],
  },
];

for (const cut of cuts) {
  describe(`GW-033 a stream cut at any byte, but ${cut.name}, never leaves an incomplete frame`, () => {
    for (const route of callRoutes) {
      it(route.name, async () => {
        const whole = Buffer.from(route.wire.frames(pieces).join(""));
        const lastText = whole.lastIndexOf("!");
        for (let length = 1; length < lastText; length += 11) {
          const sent = whole.subarray(0, length);
          lab.play(cut.script(sent));
          await expectBroken(route, await lab.call(route, true), sent.toString("utf8"));
        }
      });
    }
  });
}

describe("GW-033 a chunked stream whose connection ends without its last chunk is broken", () => {
  for (const route of callRoutes) {
    it(route.name, async () => {
      const { length } = route.wire.frames(pieces);
      for (let count = 0; count < length; count += 1) await breakAfter(route, count, { do: "end" });
    });
  }
});

it("MON-005 a provider that keeps its connection open after its last frame causes no delay", async () => {
  const { promise: never } = Promise.withResolvers<void>();
  const routes = callRoutes.filter(({ provider }) => provider !== "google");
  for (const route of routes) {
    const frames = route.wire.frames(pieces);
    lab.play([writeChunkedHead(), ...frames.map(writeChunk), { do: "until", promise: never }]);
    const answer = await lab.call(route, true);
    const stream = await answer.text();
    expect(route.client.streamText(stream)).toBe(pieces.join(""));
    expect(route.client.isComplete(stream)).toBe(true);
    // The event exists with the last byte, although the connection is closed a little later.
    expect(lab.gateway.events().at(-1)).toMatchObject({
      id: answer.headers.get("x-gateway-event-id"),
      status: "success",
      usage_source: "provider",
      input_tokens: inputTokens,
      output_tokens: outputTokens,
    });
    expect(await lab.inFlight()).toBe(0);
  }
  await eventually("the connections are given up", () => lab.openConnections() === 0);
});
