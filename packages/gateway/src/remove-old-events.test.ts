import { expect, it } from "bun:test";
import { Directory } from "@tollgate/storage/config/directory";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { temporaryFolder } from "../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../test/support/sample-event.ts";
import { Metrics } from "./metrics.ts";
import { removeOldEvents } from "./remove-old-events.ts";

const inFolder = temporaryFolder();

it("REL-022 removes what the control plane allows while calls are settled, and says how much", async () => {
  const database = await openControlDatabase({ kind: "sqlite", path: inFolder("control.db") });
  const ledger = new Ledger(inFolder("ledger.db"), "normal");
  await ledger.append(Array.from({ length: 300 }, (_, index) => sampleSettlement(`event ${index}`)));
  await database.db
    .updateTable("history")
    .set({ begins_at: SAMPLE_DAY + 1, begins_seq: 251, begins_event_id: "event 250" })
    .execute();
  const directory = new Directory(inFolder("control.db"));
  const metrics = new Metrics();
  const stopping = new AbortController();
  const logged = Promise.withResolvers<unknown>();
  const removing = removeOldEvents(
    { ledger, directory, metrics, log: (_level, _text, fields) => logged.resolve(fields) },
    stopping.signal,
  );
  await ledger.append([sampleSettlement("newer")]);
  expect(await logged.promise).toEqual({
    events: 250,
    history_begins_at: new Date(SAMPLE_DAY + 1).toISOString(),
  });
  stopping.abort();
  await removing;
  expect(metrics.render({})).toContain("svc_gateway_removed_events_total 250");
  const reader = new LedgerReader(inFolder("ledger.db"));
  expect(reader.oldestSeq()).toBe(251);
  expect(reader.newestSeq()).toBe(301);
  reader.close();
  directory.close();
  ledger.close();
  await database.close();
});
