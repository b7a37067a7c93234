import { expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { Ledger } from "../ledger/ledger.ts";
import { LedgerReader } from "../ledger/ledger-reader.ts";
import { NodeRetention } from "./node-retention.ts";

const inFolder = temporaryFolder();

it("REL-022 a node keeps what is new, what is not shipped, and everything if it does not know what was shipped", async () => {
  const ledger = new Ledger(inFolder("ledger.db"), "normal");
  const reader = new LedgerReader(inFolder("ledger.db"));
  const days = [60, 50, 40, 20, 35, 0];
  await ledger.append(
    days.map(ago => sampleSettlement(`${ago} days`, { created_at: SAMPLE_DAY - ago * DAY_MS })),
  );
  const at = (seq: number) => ({ seq, eventId: `${days[seq - 1]} days` });
  const keptFrom = (seq: number, ofDays: number | null = 31, nowMs = SAMPLE_DAY) =>
    new NodeRetention(reader, ofDays).keptFrom(seq === 0 ? null : at(seq), nowMs);
  const atMs = SAMPLE_DAY - (SAMPLE_DAY % DAY_MS) - 31 * DAY_MS;
  expect(keptFrom(6)).toEqual({ ...at(4), atMs });
  expect(keptFrom(2)).toEqual({ ...at(2), atMs });
  expect(keptFrom(0)).toBeNull();
  expect(keptFrom(6, null)).toBeNull();
  expect(keptFrom(6, 100)).toMatchObject(at(1));
  // A clock that is far ahead.
  expect(keptFrom(6, 31, SAMPLE_DAY + 1000 * DAY_MS)).toEqual({ ...at(4), atMs });
  expect(new NodeRetention(reader, 31).keptFrom({ seq: 6, eventId: "another" }, SAMPLE_DAY)).toBeNull();

  const retention = new NodeRetention(reader, 31);
  for (const shipped of [1, 3, 6]) {
    const beginning = retention.keptFrom(at(shipped), SAMPLE_DAY);
    if (beginning === null) throw new Error("nothing may be removed");
    await ledger.removeOldest(beginning, 100);
  }
  expect(reader.oldestSeq()).toBe(4);
  reader.close();
  ledger.close();
});
