import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import { ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { sql } from "kysely";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { openLedgers } from "../../../../test/support/labs/open-ledgers.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { compareCopy, compareShipped } from "./compare-with-shared.ts";
import { LedgerCopy } from "./ledger-copy.ts";
import { shipLedger } from "./ship-ledger.ts";

const databases = controlDatabases();
const openLedger = openLedgers();

/** Two nodes with three shipped events each, of which they have ingested one both, and a copy. */
async function cluster() {
  const database = await databases.open("postgres");
  const [one, other, copied] = [openLedger(), openLedger(), openLedger()];
  const both = sampleSettlement("both");
  await one.ledger.append([sampleSettlement("a"), sampleSettlement("b"), both]);
  await other.ledger.append([both, sampleSettlement("c"), sampleSettlement("d", { org_id: "second" })]);
  await shipLedger(database, one.reader, "one").catchUp();
  await shipLedger(database, other.reader, "other").catchUp();
  await (await LedgerCopy.open(database, copied.ledger, LEDGER_START)).refresh();
  const { cost_microcents: cost } = both.event;
  const change = (statement: string) => sql.raw(statement).execute(database.db);
  return { db: database.db, one, other, copy: copied.reader, cost, change };
}

const cheaper = `UPDATE shared_events SET event =
  jsonb_set(CAST(event AS JSONB), '{cost_microcents}', '1')::TEXT WHERE id = 'b'`;

describe("the ledgers of several nodes and PostgreSQL", () => {
  it("REL-005 agree on every event, whichever node shipped it", async () => {
    const { db, one, other, copy, cost } = await cluster();
    const same = {
      events: 3,
      cost_microcents: 3 * cost,
      unpriced_calls: 0,
      pending_events: 0,
      differences: [],
    };
    expect(await compareShipped(db, one.reader, "one")).toEqual(same);
    expect(await compareShipped(db, other.reader, "other")).toEqual(same);
    expect(await compareCopy(db, copy)).toEqual({ ...same, events: 5, cost_microcents: 5 * cost });
    expect(await compareShipped(db, one.reader, "a third")).toBeNull();
    await one.ledger.append([sampleSettlement("not shipped")]);
    expect(await compareShipped(db, one.reader, "one")).toEqual({ ...same, pending_events: 1 });
  });

  it("REL-005 agree on events whose texts PostgreSQL cannot read as JSON", async () => {
    const database = await databases.open("postgres");
    const [{ ledger, reader }, copied] = [openLedger(), openLedger()];
    const texts = ["nul\0", "half a character \ud800", '"cost_microcents":1', '\\"cost_microcents":1,'];
    await ledger.append(
      texts.map((text, index) => sampleSettlement(`event-${index}`, { config_version: text })),
    );
    await shipLedger(database, reader, "node").catchUp();
    await (await LedgerCopy.open(database, copied.ledger, LEDGER_START)).refresh();
    const same = { events: texts.length, differences: [] };
    expect(await compareShipped(database.db, reader, "node")).toMatchObject(same);
    expect(await compareCopy(database.db, copied.reader)).toMatchObject(same);
  });

  it("MON-021 say how many events of unknown cost the sum leaves out", async () => {
    const database = await databases.open("postgres");
    const { ledger, reader } = openLedger();
    const unpriced = {
      cost_basis: "unpriced",
      cost_microcents: ZERO_MICROCENTS,
      price_version: null,
    } as const;
    await ledger.append([sampleSettlement("known"), sampleSettlement("unknown", unpriced)]);
    await shipLedger(database, reader, "node").catchUp();
    expect(await compareShipped(database.db, reader, "node")).toMatchObject({ events: 2, unpriced_calls: 1 });
  });

  it("REL-005 differ by one microcent, an event that is missing, or one too many", async () => {
    const { db, one, copy, cost, change } = await cluster();
    await change(cheaper);
    const wrong = `event b: cost is ${cost}, in PostgreSQL 1`;
    const sums = (events: number, local: number, shared: number) =>
      `organization org: ${events} events, ${local} microcents in the ledger; ${events} events, ${shared} microcents in PostgreSQL`;
    expect((await compareShipped(db, one.reader, "one"))?.differences).toEqual([
      sums(3, 3 * cost, 2 * cost + 1),
      wrong,
    ]);
    expect((await compareCopy(db, copy)).differences).toEqual([sums(4, 4 * cost, 3 * cost + 1), wrong]);

    await change("DELETE FROM shared_events WHERE id = 'b'");
    expect((await compareShipped(db, one.reader, "one"))?.differences).toContain(
      "event b: not in PostgreSQL",
    );
    expect((await compareCopy(db, copy)).differences).toContain("event b: not in PostgreSQL");

    await change(`INSERT INTO shared_events
      SELECT org_id, 'planted', 2, node_id, 2, created_at, event FROM shared_events WHERE id = 'a'`);
    expect((await compareShipped(db, one.reader, "one"))?.differences).toContainEqual(
      expect.stringContaining("PostgreSQL has 1 events of node one that its ledger lacks"),
    );
    expect((await compareCopy(db, copy)).differences).toContain("event b: not in PostgreSQL");
  });

  it("REL-005 agree on what retention has left in the ledger", async () => {
    const { db, one, cost } = await cluster();
    const file = new Database(one.path);
    file.run("UPDATE history SET begins_seq = 3, begins_at = 1");
    file.run("DELETE FROM events WHERE seq < 3");
    file.close();
    const left = {
      events: 1,
      cost_microcents: cost,
      unpriced_calls: 0,
      pending_events: 0,
      differences: [],
    };
    expect(await compareShipped(db, one.reader, "one")).toEqual(left);
  });

  it("reports a ledger that was replaced by an older copy", async () => {
    const { db } = await cluster();
    const older = openLedger();
    await older.ledger.append([sampleSettlement("a")]);
    expect((await compareShipped(db, older.reader, "one"))?.differences).toEqual([
      expect.stringContaining("PostgreSQL has 2 events of node one that its ledger lacks"),
      "the ledger lacks event 3, the last one shipped",
    ]);
  });
});
