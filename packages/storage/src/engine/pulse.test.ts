import { Database } from "bun:sqlite";
import { afterEach, expect, it } from "bun:test";
import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { nextBeat, Pulse } from "./pulse.ts";
import { dataVersion } from "./sqlite.ts";

const inFolder = temporaryFolder();
const opened: Database[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});
const running = new AbortController().signal;
/** Only the watch wakes. */
const watchOnly = { lookEveryMs: HOUR_MS, restingLookEveryMs: HOUR_MS, restAfterMs: 0 } as const;
/** The log is not there. */
const looksOnly = { logPath: inFolder("no-log"), lookEveryMs: 1, restingLookEveryMs: HOUR_MS } as const;

it("wakes everything that waits when another connection commits", async () => {
  const file = openFile("connections.db");
  const pulse = new Pulse({ ...file, ...watchOnly });
  await pulse.next(pulse.beats, HOUR_MS, running);
  const seen = pulse.beats;
  let woken = 0;
  const waiting = [1, 2, 3].map(() => pulse.next(seen, HOUR_MS, running).then(() => woken++));
  await pulse.next(seen, 30, running);
  expect(woken).toBe(0);
  file.commit();
  await Promise.all(waiting);
  expect(woken).toBe(3);
});

it("wakes when another process commits", async () => {
  const file = openFile("processes.db");
  const pulse = new Pulse({ ...file, ...watchOnly });
  await pulse.next(pulse.beats, HOUR_MS, running);
  const seen = pulse.beats;
  // Repeated, because a commit is visible only after its write to the log: the first look may be too early.
  const script = `
    const { Database } = require("bun:sqlite");
    const database = new Database(${JSON.stringify(file.path)});
    setInterval(() => database.run("INSERT INTO t VALUES (1)"), 100);`;
  const writer = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "inherit", "inherit"] });
  try {
    await pulse.next(seen, HOUR_MS, running);
  } finally {
    writer.kill();
    await writer.exited;
  }
  expect(pulse.beats).toBe(seen + 1);
});

it("finds a change that the watch misses", async () => {
  const file = openFile("missed.db");
  const logPath = inFolder("never-written");
  writeFileSync(logPath, "");
  const pulse = new Pulse({ ...file, ...watchOnly, logPath, restingLookEveryMs: 1 });
  await pulse.next(pulse.beats, HOUR_MS, running);
  const woken = pulse.next(pulse.beats, HOUR_MS, running);
  file.commit();
  await woken;
});

it("finds a change between two waits", async () => {
  const file = openFile("between.db");
  const pulse = new Pulse({ ...file, ...watchOnly });
  await pulse.next(pulse.beats, HOUR_MS, running);
  const seen = pulse.beats;
  file.commit();
  await pulse.next(seen, HOUR_MS, running);
  expect(pulse.beats).toBe(seen + 1);
});

it("looks again soon when the log was written and its commit is not visible yet", async () => {
  const logPath = inFolder("early-log");
  writeFileSync(logPath, "");
  const counted = countReads();
  const pulse = new Pulse({ ...counted, logPath, ...watchOnly, restAfterMs: 1 });
  await pulse.next(pulse.beats, HOUR_MS, running);
  await Bun.sleep(2);
  const woken = pulse.next(pulse.beats, HOUR_MS, running);
  counted.commitAtRead = counted.reads + 2;
  appendFileSync(logPath, "commit");
  await woken;
});

it("watches the new log when the log is replaced", async () => {
  const logPath = inFolder("replaced-log");
  writeFileSync(logPath, "");
  const counted = countReads();
  const pulse = new Pulse({ ...counted, logPath, ...watchOnly });
  await pulse.next(pulse.beats, HOUR_MS, running);
  const woken = pulse.next(pulse.beats, HOUR_MS, running);
  for (let replaced = 0; replaced < 3; replaced++) {
    const { reads } = counted;
    writeFileSync(`${logPath}.new`, "");
    renameSync(`${logPath}.new`, logPath);
    await eventually("a look after the log was replaced", () => counted.reads > reads);
  }
  counted.version++;
  appendFileSync(logPath, "commit");
  await woken;
});

it("looks often while there is no log, and watches the log that is created", async () => {
  const logPath = inFolder("created-log");
  writeFileSync(logPath, "");
  const counted = countReads();
  const pulse = new Pulse({ ...counted, logPath, ...watchOnly, lookEveryMs: 1 });
  await pulse.next(pulse.beats, HOUR_MS, running);
  const seen = pulse.beats;
  const woken = pulse.next(seen, HOUR_MS, running);
  rmSync(logPath);
  const { reads } = counted;
  await eventually("looks without a log", () => counted.reads > reads + 10);
  writeFileSync(logPath, "");
  // Looks end once the log is watched.
  let before = -1;
  await eventually("no more looks", async () => {
    before = counted.reads;
    await Bun.sleep(50);
    return counted.reads === before;
  });
  counted.version++;
  appendFileSync(logPath, "commit");
  await woken;
  expect(pulse.beats).toBe(seen + 1);
});

it("wakes when the log cannot be watched", async () => {
  const file = openFile("unwatched.db");
  const pulse = new Pulse({ ...file, ...looksOnly });
  await pulse.next(pulse.beats, HOUR_MS, running);
  const woken = pulse.next(pulse.beats, HOUR_MS, running);
  file.commit();
  await woken;
});

it("does not miss a change between a read and the wait", async () => {
  const pulse = new Pulse({ readVersion: () => 1, ...looksOnly, lookEveryMs: HOUR_MS });
  const seen = pulse.beats;
  pulse.beat();
  await pulse.next(seen, HOUR_MS, running);
  expect(pulse.beats).toBe(seen + 1);
});

it("stops waiting after the given time, at the signal, and when the database can no longer be read", async () => {
  let isBroken = false;
  const readVersion = () => {
    if (isBroken) throw new Error("closed");
    return 1;
  };
  const pulse = new Pulse({ readVersion, ...looksOnly });
  await pulse.next(pulse.beats, HOUR_MS, running);
  await pulse.next(pulse.beats, 1, running);
  const stopping = new AbortController();
  const waiting = pulse.next(pulse.beats, HOUR_MS, stopping.signal);
  stopping.abort();
  await waiting;
  await pulse.next(pulse.beats, HOUR_MS, stopping.signal);
  const broken = pulse.next(pulse.beats, HOUR_MS, running);
  isBroken = true;
  await broken;
});

it("ends a long wait with a look", async () => {
  const pulse = new Pulse({ readVersion: () => 1, ...looksOnly, restingLookEveryMs: 1 });
  await pulse.next(pulse.beats, HOUR_MS, running);
  const seen = pulse.beats;
  await pulse.next(seen, 20, running);
  expect(pulse.beats).toBe(seen);
});

it("waits for the first of several databases to change", async () => {
  const files = [openFile("first.db"), openFile("second.db")] as const;
  const pulses = files.map(file => new Pulse({ ...file, ...watchOnly }));
  for (const pulse of pulses) await pulse.next(pulse.beats, HOUR_MS, running);
  for (const [changed, file] of files.entries()) {
    const seen = pulses.map(pulse => ({ pulse, seen: pulse.beats }));
    const woken = nextBeat(seen, HOUR_MS, running);
    file.commit();
    await woken;
    expect(seen.map(one => one.pulse.beats - one.seen)).toEqual([1 - changed, changed]);
  }
});

/** A database with a writer and a reader. */
function openFile(name: string) {
  const path = inFolder(name);
  const writer = new Database(path, { create: true });
  writer.run("PRAGMA journal_mode = WAL");
  writer.run("CREATE TABLE t (x)");
  const reader = new Database(path, { readonly: true });
  opened.push(writer, reader);
  return {
    path,
    logPath: `${path}-wal`,
    readVersion: () => dataVersion(reader),
    commit: () => writer.run("INSERT INTO t VALUES (1)"),
  };
}

function countReads() {
  const counted = {
    reads: 0,
    version: 1,
    commitAtRead: Number.POSITIVE_INFINITY,
    readVersion() {
      counted.reads++;
      return counted.reads < counted.commitAtRead ? counted.version : counted.version + 1;
    },
  };
  return counted;
}
