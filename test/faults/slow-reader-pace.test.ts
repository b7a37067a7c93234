import { afterAll, beforeAll, expect, it } from "bun:test";
import { openRawCall } from "../support/clients/raw-call.ts";
import { type FaultLab, startFaultLab } from "../support/labs/fault-lab.ts";
import { MEGABYTE } from "../support/memory-peak.ts";
import { encodeChunk, writeChunk, writeChunkedHead, writeLastChunk } from "../support/servers/http-bytes.ts";
import { eventually } from "../support/waiting/eventually.ts";

/** More than the buffers between provider and client hold. */
const TOTAL_BYTES = 64 * MEGABYTE;

let lab: FaultLab;
let uptimeMs = 0;
beforeAll(async () => {
  lab = await startFaultLab({ providerTimeoutMs: 3_600_000, uptimeMs: () => uptimeMs });
});
afterAll(() => lab.stop());

const open = () =>
  openRawCall(
    lab.gateway.url,
    "/v1/chat/completions",
    lab.gateway.headers(),
    JSON.stringify({ model: "o3", stream: true, messages: [{ role: "user", content: "hello" }] }),
  );

const frame = (fields: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "o3", choices: [], ...fields })}\n\n`;
const delta = (content: string, finish_reason: string | null) =>
  frame({ choices: [{ index: 0, delta: { content }, finish_reason }] });

/** A client disconnects a second after its call was sent: everything billed besides the prompt comes from the pace. */
async function estimatedInASecond(): Promise<number | undefined> {
  lab.play([{ do: "hang" }]);
  const call = await open();
  await eventually("the provider has the call", () => lab.openConnections() > 0);
  uptimeMs += 1000;
  call.leave();
  return (await lab.event()).usage.reasoning;
}

/** The buffers stay full for longer than the gateway needs to notice: it checks four times a second. */
async function providerWaits(): Promise<void> {
  let written = 0;
  let since = performance.now();
  let looks = 0;
  await eventually("the provider has waited for a second", () => {
    const now = lab.upstream.connections.at(-1)?.bytesWritten ?? 0;
    if (now !== written) {
      since = performance.now();
      looks = 0;
    }
    written = now;
    // Several looks: after a pause of this process nothing was written in the meantime, either.
    return ++looks > 20 && performance.now() - since > 1000;
  });
}

async function readSlowly(): Promise<void> {
  const text = encodeChunk(delta("x".repeat(32_768), null));
  lab.play([
    writeChunkedHead(),
    { do: "flood", bytes: text, times: Math.ceil(TOTAL_BYTES / text.length) },
    writeChunk(delta("", "stop")),
    writeChunk(frame({ usage: { prompt_tokens: 9, completion_tokens: 1000, total_tokens: 1009 } })),
    writeChunk("data: [DONE]\n\n"),
    writeLastChunk,
  ]);
  const call = await open();
  await eventually("the answer has begun", () => call.bytes > 0);
  call.pause();
  await providerWaits();
  uptimeMs += 20_000;
  call.resume();
  await call.ended();
  expect(await lab.event()).toMatchObject({ status: "success", output_tokens: 1000 });
}

it("MON-019 a slow reader does not make its model look slow", async () => {
  expect(await estimatedInASecond()).toBe(200);
  await readSlowly();
  expect(await estimatedInASecond()).toBe(200);
});
