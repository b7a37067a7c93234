import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "bun:test";
import { type CallRoute, chatToGoogle, nativeChat, nativeMessages } from "../support/clients/call-routes.ts";
import { openRawCall } from "../support/clients/raw-call.ts";
import { inputTokens, outputTokens } from "../support/clients/wire-formats.ts";
import { type FaultLab, startFaultLab } from "../support/labs/fault-lab.ts";
import { MEGABYTE, memoryPeak } from "../support/memory-peak.ts";
import { encodeChunk, writeChunk, writeChunkedHead, writeLastChunk } from "../support/servers/http-bytes.ts";
import type { Step } from "../support/servers/scripted-server.ts";
import { eventually } from "../support/waiting/eventually.ts";

/** Long enough that a provider which keeps sending does not look silent on a busy machine. */
const TIMEOUT_MS = 1000;
const TOTAL_BYTES = 96 * MEGABYTE;
/** Capacity of the buffers of four sockets, which the kernel may grow, and of the gateway between them. */
const BUFFERED_BYTES = TOTAL_BYTES / 2;

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab({ providerTimeoutMs: TIMEOUT_MS });
});
afterAll(() => lab.stop());

/** An answer far too long for any buffer. */
function longStream(route: CallRoute): Step[] {
  const frames = route.wire.frames(["x".repeat(32_768)]);
  const at = frames.findIndex(frame => frame.includes("xxx"));
  const long = encodeChunk(frames[at] ?? "");
  return [
    writeChunkedHead(),
    ...frames.slice(0, at).map(writeChunk),
    { do: "flood", bytes: long, times: Math.ceil(TOTAL_BYTES / long.length) },
    ...frames.slice(at + 1).map(writeChunk),
    writeLastChunk,
  ];
}

async function open(route: CallRoute) {
  const body = JSON.stringify(route.body("hello", true));
  const call = await openRawCall(lab.gateway.url, route.path, lab.gateway.headers(), body);
  // A call left open by a failed test would fail those after it.
  onTestFinished(async () => {
    call.leave();
    await eventually("nothing is under way", async () => (await lab.inFlight()) === 0);
  });
  return call;
}

const written = () => lab.upstream.connections.at(-1)?.bytesWritten ?? 0;

async function twoTimeoutsPass(): Promise<void> {
  const from = performance.now();
  await eventually("two timeouts pass", () => performance.now() - from > 2 * TIMEOUT_MS);
}

for (const route of [nativeChat, nativeMessages, chatToGoogle]) {
  describe(`GW-037 a client that stops reading: ${route.name}`, () => {
    it("stops the provider, keeps memory flat, does not time out, and can read to the end", async () => {
      lab.play(longStream(route));
      const grown = await memoryPeak(async () => {
        const call = await open(route);
        await eventually("the answer has begun", () => call.bytes > 0);
        call.pause();
        await twoTimeoutsPass();
        const readBytes = call.bytes;
        expect(written()).toBeLessThan(readBytes + BUFFERED_BYTES);
        await twoTimeoutsPass();
        expect(call.bytes).toBe(readBytes);
        expect(written()).toBeLessThan(readBytes + BUFFERED_BYTES);
        expect(await lab.inFlight()).toBe(1);
        call.resume();
        await call.ended();
        expect(call.text).not.toContain("in time");
        expect(call.bytes).toBeGreaterThan(0.99 * TOTAL_BYTES);
      });
      expect(grown).toBeLessThan(64 * MEGABYTE);
      expect(await lab.event()).toMatchObject({
        status: "success",
        usage_source: "provider",
        input_tokens: inputTokens,
        output_tokens: outputTokens,
      });
    });

    it("GW-034 and then disconnects: the provider's connection is closed immediately", async () => {
      lab.play(longStream(route));
      const call = await open(route);
      await eventually("the answer has begun", () => call.bytes > 0);
      call.pause();
      await twoTimeoutsPass();
      expect(lab.openConnections()).toBe(1);
      call.leave();
      await eventually("the provider is let go", () => lab.openConnections() === 0);
      const event = await lab.event();
      expect(event).toMatchObject({ status: "cancelled", usage_source: "estimated" });
      expect(event.cost_microcents).toBeGreaterThan(0);
    });
  });
}

it("GW-037 the client reads the first frame before the provider sends its last", async () => {
  for (const route of [nativeChat, nativeMessages, chatToGoogle]) {
    const { promise: seen, resolve: see } = Promise.withResolvers<void>();
    const whole = route.wire.frames(["first", "second"]).join("");
    const first = whole.slice(0, whole.indexOf("\n\n", whole.indexOf("first")) + 2);
    lab.play([
      writeChunkedHead(),
      writeChunk(first),
      { do: "until", promise: seen },
      writeChunk(whole.slice(first.length)),
      writeLastChunk,
    ]);
    const call = await open(route);
    await call.until("first");
    expect(call.text).not.toContain("second");
    see();
    await call.until("second");
    await lab.event();
  }
});
