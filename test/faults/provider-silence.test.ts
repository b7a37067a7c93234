import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type CallRoute, callRoutes } from "../support/clients/call-routes.ts";
import {
  expectOwnError,
  expectPromptBilled,
  type FaultLab,
  nothingUsed,
  startFaultLab,
} from "../support/labs/fault-lab.ts";
import { encodeChunk, writeChunk, writeChunkedHead, writeHead } from "../support/servers/http-bytes.ts";
import type { Step } from "../support/servers/scripted-server.ts";

/** Long enough to read what is sent before the silence, even on a busy machine. */
const TIMEOUT_MS = 300;
const hang: Step = { do: "hang" };
const text = "four words of text";

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab({ providerTimeoutMs: TIMEOUT_MS });
});
afterAll(() => lab.stop());

/** The provider falls silent before anything was sent to the client: an ordinary 504. */
const early: {
  name: string;
  stream: boolean;
  httpStatus: number | null;
  script(route: CallRoute): Step[];
}[] = [
  { name: "before the head, plain", stream: false, httpStatus: null, script: () => [hang] },
  { name: "before the head, streamed", stream: true, httpStatus: null, script: () => [hang] },
  {
    name: "within the head",
    stream: false,
    httpStatus: null,
    script: () => [{ do: "write", bytes: "HTTP/1.1 200 OK\r\nconten" }, hang],
  },
  {
    name: "before the first byte of a body of known length",
    stream: false,
    httpStatus: 200,
    script: () => [writeHead(200, { "content-length": "500" }), hang],
  },
  {
    name: "within a body of known length",
    stream: false,
    httpStatus: 200,
    script: route => [
      writeHead(200, { "content-length": "100000" }),
      { do: "write", bytes: route.wire.plain(text).slice(0, 40) },
      hang,
    ],
  },
  {
    name: "within a chunked body",
    stream: false,
    httpStatus: 200,
    script: route => [
      writeChunkedHead("application/json"),
      writeChunk(route.wire.plain(text).slice(0, 40)),
      hang,
    ],
  },
  {
    name: "within the body of an error",
    stream: true,
    httpStatus: 500,
    script: route => [
      writeChunkedHead("application/json", 500),
      writeChunk(route.wire.errorBody("no").slice(0, 9)),
      hang,
    ],
  },
  {
    name: "before the first frame",
    stream: true,
    httpStatus: 200,
    script: () => [writeChunkedHead(), hang],
  },
  {
    name: "within the first frame",
    stream: true,
    httpStatus: 200,
    script: route => [writeChunkedHead(), writeChunk(route.wire.frames([text])[0]?.slice(0, 30) ?? ""), hang],
  },
];

for (const { name, stream, httpStatus, script } of early) {
  describe(`GW-028 GW-029 GW-032 MON-018 ${name}: silence is a 504 and one event with status timeout`, () => {
    for (const route of callRoutes) {
      it(route.name, async () => {
        lab.play(script(route));
        const answer = await lab.call(route, stream);
        await expectOwnError(answer, 504);
        const event = await lab.event(answer);
        expect(event).toMatchObject({
          status: "timeout",
          http_status: httpStatus,
          error_code: "provider_timeout",
        });
        if (httpStatus !== null && httpStatus >= 400) expect(event).toMatchObject(nothingUsed);
        else expectPromptBilled(event);
      });
    }
  });
}

describe("MON-018 silence after all of an answer that never ends is a 504, with the usage that it reports", () => {
  for (const route of callRoutes) {
    it(route.name, async () => {
      const whole = route.wire.plain(text);
      lab.play([writeHead(200, { "content-type": "application/json" }), { do: "write", bytes: whole }]);
      const complete = await lab.call(route, false);
      await complete.text();
      const { usage, cost_microcents } = await lab.event(complete);
      lab.play([writeChunkedHead("application/json"), writeChunk(whole), hang]);
      await expectOwnError(await lab.call(route, false), 504);
      const event = await lab.event();
      expect(event).toMatchObject({ status: "timeout", usage, usage_source: "provider", cost_microcents });
    });
  }
});

describe("GW-029 MON-010 silence after text was sent ends the stream with an error frame", () => {
  for (const route of callRoutes) {
    it(route.name, async () => {
      const whole = route.wire.frames([text, "never seen"]).join("");
      const upToText = whole.slice(0, whole.indexOf("never seen"));
      lab.play([writeChunkedHead(), writeChunk(upToText), hang]);
      const answer = await lab.call(route, true);
      expect(answer.status).toBe(200);
      const stream = await answer.text();
      expect(route.client.streamText(stream)).toBe(text);
      expect(route.client.errorOf(stream)?.message).toContain("did not answer in time");
      expect(route.client.isComplete(stream)).toBe(false);
      const event = await lab.event(answer);
      expect(event).toMatchObject({
        status: "timeout",
        http_status: 200,
        error_code: "provider_timeout",
        usage_source: "estimated",
      });
      expect(event.cost_microcents).toBeGreaterThan(0);
      expect(event.ttft_ms).not.toBeNull();
    });
  }
});

it("GW-029 a provider that is slow but never silent for too long does not time out", async () => {
  for (const route of callRoutes) {
    const frames = route.wire.frames(["a", "b", "c", "d", "e", "f"]);
    const steps = frames.flatMap((frame): Step[] => [
      { do: "wait", ms: TIMEOUT_MS / 4 },
      { do: "write", bytes: encodeChunk(frame) },
    ]);
    lab.play([writeChunkedHead(), ...steps, { do: "write", bytes: "0\r\n\r\n" }]);
    const answer = await lab.call(route, true);
    const stream = await answer.text();
    expect(route.client.streamText(stream)).toBe("abcdef");
    expect(route.client.isComplete(stream)).toBe(true);
    expect(await lab.event(answer)).toMatchObject({ status: "success", usage_source: "provider" });
  }
});
