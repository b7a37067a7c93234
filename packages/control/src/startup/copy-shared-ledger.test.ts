import { expect, it, onTestFinished } from "bun:test";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { removeSharedEvents } from "@tollgate/storage/shared-ledger/shared-history";
import { shipLedger } from "@tollgate/storage/shared-ledger/ship-ledger";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { openLedgers } from "../../../../test/support/labs/open-ledgers.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { writeMigratedFile } from "../../../../test/support/labs/write-migrated-file.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { copySharedLedger } from "./copy-shared-ledger.ts";

const databases = controlDatabases();
const openLedger = openLedgers();
const inFolder = temporaryFolder();

it("REL-022 a copy that ends before the shared ledger begins is made again; one that does not is continued", async () => {
  const database = await databases.open("postgres");
  const node = openLedger();
  const append = async (...names: string[]) => {
    await node.ledger.append(names.map(name => sampleSettlement(name)));
    await shipLedger(database, node.reader, "node").catchUp();
  };
  const paths = { ledgerPath: inFolder("copy.db"), controlPath: inFolder("control.db") };
  await writeMigratedFile(paths.controlPath);
  const logged: string[] = [];
  const copied = async () => {
    const copy = await copySharedLedger(database, paths, (_level, message) => logged.push(message));
    copy.close();
    const reader = new LedgerReader(paths.ledgerPath);
    onTestFinished(() => reader.close());
    return reader.between(0, 100).map(({ seq, event }) => `${seq} ${event.id}`);
  };
  const beginWith = async (seq: number, eventId: string) => {
    await database.db
      .updateTable("history")
      .set({ begins_at: SAMPLE_DAY + 1, begins_seq: seq, begins_event_id: eventId })
      .execute();
    await removeSharedEvents(database.db);
  };
  await append("a", "b", "c");
  expect(await copied()).toEqual(["1 a", "2 b", "3 c"]);
  await append("d", "e");
  await beginWith(3, "c");
  expect(await copied()).toEqual(["1 a", "2 b", "3 c", "4 d", "5 e"]);
  expect(logged).toEqual([]);
  await append("f", "g");
  await beginWith(6, "f");
  expect(await copied()).toEqual(["6 f", "7 g"]);
  expect(logged).toEqual(["the copy of the shared ledger ends before its history begins; making a new one"]);
});
