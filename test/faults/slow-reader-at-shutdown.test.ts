import { expect, it } from "bun:test";
import { join } from "node:path";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { nativeChat } from "../support/clients/call-routes.ts";
import { openRawCall } from "../support/clients/raw-call.ts";
import { type FaultLab, startFaultLab } from "../support/labs/fault-lab.ts";
import { MEGABYTE } from "../support/memory-peak.ts";
import { encodeChunk, writeChunkedHead } from "../support/servers/http-bytes.ts";
import { eventually } from "../support/waiting/eventually.ts";

/** More than the buffers between provider and client hold. */
const TOTAL_BYTES = 64 * MEGABYTE;

/** The buffers are full: many looks in a row find nothing more written. */
async function providerWaits(lab: FaultLab): Promise<void> {
  let written = 0;
  let looks = 0;
  await eventually("the provider waits for the client", () => {
    const now = lab.upstream.connections.at(-1)?.bytesWritten ?? 0;
    looks = now === written ? looks + 1 : 0;
    written = now;
    return looks > 50;
  });
}

for (const onDisconnect of ["abort", "drain"] as const) {
  it(`GW-037 a shutdown does not wait for a client that stopped reading, and its call has an event (${onDisconnect})`, async () => {
    const lab = await startFaultLab({ onDisconnect, providerTimeoutMs: 3_600_000 });
    const text = encodeChunk(
      nativeChat.wire.frames(["x".repeat(32_768)]).find(one => one.includes("xxx")) ?? "",
    );
    lab.play([
      writeChunkedHead(),
      { do: "flood", bytes: text, times: Math.ceil(TOTAL_BYTES / text.length) },
      { do: "hang" },
    ]);
    const body = JSON.stringify(nativeChat.body("hello", true));
    const call = await openRawCall(lab.gateway.url, nativeChat.path, lab.gateway.headers(), body);
    await eventually("the answer has begun", () => call.bytes > 0);
    call.pause();
    await providerWaits(lab);

    await lab.gateway.stop("keep files");
    expect(lab.gateway.logged).toEqual([]);
    const reader = new LedgerReader(join(lab.gateway.dataDir, "ledger.db"));
    expect(reader.openIntents()).toBe(0);
    const [only, ...more] = reader.after(0, 10);
    expect(more).toEqual([]);
    expect(only?.event).toMatchObject({ usage_source: "estimated" });
    expect(only?.event.cost_microcents).toBeGreaterThan(0);
    reader.close();

    call.leave();
    await lab.gateway.stop();
    await lab.upstream.stop();
  });
}
