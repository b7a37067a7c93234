import { afterEach, describe, expect, it } from "bun:test";
import { statSync } from "node:fs";
import { followInMemory, noting } from "../../../../test/support/labs/event-recorder.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleIntent, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { Ledger } from "./ledger.ts";
import { LedgerReader } from "./ledger-reader.ts";

const path = temporaryFolder();
const opened: { close(): void }[] = [];
let files = 0;

function openLedger() {
  const file = path(`follow-${files++}.db`);
  const ledger = new Ledger(file, "normal");
  opened.push(ledger);
  return { file, ledger };
}

function openReader(file: string): LedgerReader {
  const reader = new LedgerReader(file);
  opened.push(reader);
  return reader;
}

afterEach(() => {
  for (const handle of opened.splice(0)) handle.close();
});

/** Writes like the gateway: many concurrent calls, each journalled and settled separately. */
async function writeCalls(ledger: Ledger, from: number, count: number, atOnce = 64): Promise<void> {
  let next = from;
  const worker = async () => {
    while (next < from + count) {
      const id = String(next++);
      await ledger.journal(sampleIntent(id), null);
      const { event, cards } = sampleSettlement(id);
      await ledger.settle({ event, cards });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Every seq that a follower received, up to the last. */
async function followUntil(reader: LedgerReader, from: number, lastSeq: number, batchSize = 1000) {
  const seen: number[] = [];
  const follower = followInMemory(reader, from, { batchSize, apply: noting(seen) });
  const stop = new AbortController();
  const running = follower.run(stop.signal);
  await eventually("everything is followed", () => follower.position >= lastSeq);
  stop.abort();
  await running;
  return seen;
}

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index);

describe("following the ledger", () => {
  it("skips nothing and repeats nothing while calls are being written, for each follower", async () => {
    const { file, ledger } = openLedger();
    const reader = openReader(file);
    const [first, second] = await Promise.all([
      followUntil(reader, 0, 2000, 7),
      followUntil(reader, 0, 2000),
      writeCalls(ledger, 0, 2000),
    ]);
    expect(first).toEqual(upTo(2000));
    expect(second).toEqual(upTo(2000));
  });

  it("resumes at its cursor, even if nothing was written since it stopped", async () => {
    const { file, ledger } = openLedger();
    await writeCalls(ledger, 0, 20);
    const reader = openReader(file);
    expect(await followUntil(reader, 5, 20)).toEqual(upTo(20, 6));
  });

  it("sees events of another process in order, none skipped and none twice", async () => {
    const { file, ledger } = openLedger();
    const follower = Bun.spawn(
      [
        process.execPath,
        `${import.meta.dir}/../../../../test/support/programs/follow-ledger.ts`,
        file,
        "1500",
      ],
      { stdout: "pipe", stderr: "inherit" },
    );
    opened.push({ close: () => follower.kill() });
    await writeCalls(ledger, 0, 1500);
    expect(JSON.parse(await new Response(follower.stdout).text())).toEqual(upTo(1500));
    expect(await follower.exited).toBe(0);
  });

  it("keeps the write-ahead log below 32 MB under constant load, with a poller here and one in another process", async () => {
    const { file, ledger } = openLedger();
    const calls = 40_000;
    const follower = Bun.spawn(
      [
        process.execPath,
        `${import.meta.dir}/../../../../test/support/programs/follow-ledger.ts`,
        file,
        String(calls),
        "reports",
      ],
      { stdout: "pipe", stderr: "inherit" },
    );
    opened.push({ close: () => follower.kill() });
    const reader = openReader(file);
    let largest = 0;
    const watch = setInterval(() => {
      reader.after(0, 500);
      largest = Math.max(largest, statSync(`${file}-wal`).size);
    }, 10);
    let followed = 0;
    void (async () => {
      for await (const text of follower.stdout.pipeThrough(new TextDecoderStream()))
        followed = Math.max(followed, ...text.split("\n").map(Number));
    })();
    // A poller that is paused in the middle of a read keeps the log from starting over: the load waits for it.
    for (let written = 0; written < calls; written += 2000) {
      await eventually("the other process follows", () => written - followed <= 2000);
      await writeCalls(ledger, written, 2000, 256);
    }
    clearInterval(watch);
    expect(largest).toBeGreaterThan(0);
    expect(Math.max(largest, statSync(`${file}-wal`).size)).toBeLessThan(32 * 1024 * 1024);
    expect(await follower.exited).toBe(0);
  });
});
