import { Database } from "bun:sqlite";
import { expect, it } from "bun:test";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { Pulse } from "./pulse.ts";

const inFolder = temporaryFolder();
const running = new AbortController().signal;

it("wakes everything that waits when another connection commits", async () => {
  const path = inFolder("pulse.db");
  const writer = new Database(path, { create: true });
  writer.run("PRAGMA journal_mode = WAL");
  writer.run("CREATE TABLE t (x)");
  const reader = new Database(path, { readonly: true });
  const version = () =>
    Number(reader.query<{ data_version: number }, []>("PRAGMA data_version").get()?.data_version);
  const pulse = new Pulse(version, 1);
  await pulse.next(pulse.beats, HOUR_MS, running);
  const seen = pulse.beats;
  let woken = 0;
  const waiting = [1, 2, 3].map(() => pulse.next(seen, HOUR_MS, running).then(() => woken++));
  await pulse.next(seen, 30, running);
  expect(woken).toBe(0);
  writer.run("INSERT INTO t VALUES (1)");
  await Promise.all(waiting);
  expect(woken).toBe(3);
  writer.close();
  reader.close();
});

it("does not miss a change between a read and the wait", async () => {
  const pulse = new Pulse(() => 1, HOUR_MS);
  const seen = pulse.beats;
  pulse.beat();
  await pulse.next(seen, HOUR_MS, running);
  expect(pulse.beats).toBe(seen + 1);
});

it("stops waiting after the given time, at the signal, and when the database can no longer be read", async () => {
  let isBroken = false;
  const pulse = new Pulse(() => {
    if (isBroken) throw new Error("closed");
    return 1;
  }, 1);
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
