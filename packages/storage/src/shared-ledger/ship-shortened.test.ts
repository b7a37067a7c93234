import { expect, it } from "bun:test";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { openLedgers } from "../../../../test/support/labs/open-ledgers.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { shipLedger } from "./ship-ledger.ts";

const databases = controlDatabases();
const openLedger = openLedgers();

it("REL-010 a ledger without its beginning that has lost its end is shipped again, however long it was", async () => {
  const database = await databases.open("postgres");
  const settlements = Array.from({ length: 2500 }, (_, index) => sampleSettlement(`event ${index + 1}`));
  const { ledger, reader } = openLedger();
  await ledger.append(settlements);
  await shipLedger(database, reader, "node").catchUp();
  const restored = openLedger();
  await restored.ledger.append(settlements.slice(0, 2400));
  await restored.ledger.removeOldest({ seq: 2300, eventId: "event 2300", atMs: 0 }, 10_000);
  expect(restored.reader.oldestSeq()).toBe(2300);
  await restored.ledger.append([sampleSettlement("new")]);
  await shipLedger(database, restored.reader, "node", { onReship: () => {} }).catchUp();
  const ids = await database.db.selectFrom("shared_events").select("id").execute();
  expect(ids.length).toBe(2501);
});
