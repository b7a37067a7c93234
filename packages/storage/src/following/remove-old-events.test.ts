import { expect, it } from "bun:test";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { Ledger } from "../ledger/ledger.ts";
import { LedgerReader } from "../ledger/ledger-reader.ts";
import { removeOldEvents } from "./remove-old-events.ts";

const inFolder = temporaryFolder();

it("REL-022 removes what is allowed while calls are settled, and says how much", async () => {
  const ledger = new Ledger(inFolder("ledger.db"), "normal");
  await ledger.append(Array.from({ length: 300 }, (_, index) => sampleSettlement(`event ${index}`)));
  const stopping = new AbortController();
  const logged = Promise.withResolvers<unknown>();
  let removed = 0;
  const removing = removeOldEvents(
    {
      ledger,
      beginning: () => ({ seq: 251, eventId: "event 250", atMs: SAMPLE_DAY + 1 }),
      onRemoved: events => {
        removed += events;
      },
      log: (_level, _text, fields) => logged.resolve(fields),
    },
    stopping.signal,
  );
  await ledger.append([sampleSettlement("newer")]);
  expect(await logged.promise).toEqual({
    events: 250,
    history_begins_at: new Date(SAMPLE_DAY + 1).toISOString(),
  });
  stopping.abort();
  await removing;
  expect(removed).toBe(250);
  const reader = new LedgerReader(inFolder("ledger.db"));
  expect(reader.oldestSeq()).toBe(251);
  expect(reader.newestSeq()).toBe(301);
  reader.close();
  ledger.close();
});
