import { Database } from "bun:sqlite";
import { expect, it } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "@tollgate/core/time/durations";
import {
  differencesIn,
  FIRST_DAY,
  followersOf,
  NOW,
  removeEvents,
  startRetentionLab,
  sumsOf,
} from "../../../../../test/support/labs/retention-lab.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { readHistory } from "../../database/history.ts";
import { openControlDatabase } from "../../database/open-control-database.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { LedgerReader } from "../../ledger/ledger-reader.ts";
import { verifyLedger } from "../../ledger/verify-ledger.ts";
import { retainHistory } from "./retain-history.ts";

const inFolder = temporaryFolder();

it("REL-022 the files become smaller", async () => {
  const path = inFolder("shrinking-control.db");
  const database = await openControlDatabase({ kind: "sqlite", path });
  const ledgerPath = inFolder("shrinking-ledger.db");
  const ledger = new Ledger(ledgerPath, "normal");
  new Database(path).query("PRAGMA wal_checkpoint(TRUNCATE)").get();
  const emptyBytes = statSync(path).size;
  const calls = Array.from({ length: 6000 }, (_, index) =>
    sampleSettlement(`event ${index}`, { created_at: index < 5500 ? FIRST_DAY : NOW - DAY_MS }),
  );
  await ledger.append(calls);
  const reader = new LedgerReader(ledgerPath);
  const followers = followersOf(database, reader);
  for (const follower of followers) await follower.catchUp();
  const sizes = () => {
    new Database(path).query("PRAGMA wal_checkpoint(TRUNCATE)").get();
    new Database(ledgerPath).query("PRAGMA wal_checkpoint(TRUNCATE)").get();
    return { control: statSync(path).size, ledger: statSync(ledgerPath).size };
  };
  const before = sizes();
  expect(
    await retainHistory({ database, ledger: reader, days: 31, now: () => NOW, readers: followers }),
  ).toBe(5500);
  expect(await removeEvents(database, ledger)).toBe(5500);
  const after = sizes();
  expect(after.ledger).toBeLessThan(before.ledger / 5);
  expect(after.control - emptyBytes).toBeLessThan((before.control - emptyBytes) / 5);
  expect(await differencesIn(database, reader)).toEqual([]);
  ledger.close();
  await database.close();
});

it("REL-022 REL-005 killed at any moment, retention loses and doubles no sum", async () => {
  const path = inFolder("killed-control.db");
  const database = await openControlDatabase({ kind: "sqlite", path });
  const ledgerPath = inFolder("killed-ledger.db");
  const { ledger, reader } = await startRetentionLab(database, ledgerPath);
  ledger.close();
  const before = { sums: await sumsOf(database), ledger: verifyLedger(reader) };
  const child = join(import.meta.dir, "../../../../../test/support/programs/retain-history.ts");
  const moments = [
    async () => (await readHistory(database.db)).beginsAtMs > 0,
    async () => (await readHistory(database.db)).beginning !== null,
    async () => reader.oldestSeq() > 100,
  ];
  let kills = 0;
  for (const isReached of moments) {
    const retaining = Bun.spawn([process.execPath, child, ledgerPath, path, String(NOW)], {
      stderr: "inherit",
    });
    while (retaining.exitCode === null && !(await isReached())) await Bun.sleep(1);
    retaining.kill("SIGKILL");
    await retaining.exited;
    if (retaining.signalCode === "SIGKILL") kills++;
    expect(await differencesIn(database, reader)).toEqual([]);
    expect(await sumsOf(database)).toEqual(before.sums);
    const { cost_microcents, events, removed_events } = verifyLedger(reader);
    expect({ cost_microcents, events: events + removed_events }).toEqual({
      cost_microcents: before.ledger.cost_microcents,
      events: before.ledger.events,
    });
  }
  expect(kills).toBeGreaterThan(0);
  await database.close();
});
