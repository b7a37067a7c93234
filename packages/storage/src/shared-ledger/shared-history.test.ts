import { describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { DAY_MS } from "@tollgate/core/time/durations";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { beforeStatements } from "../../../../test/support/labs/event-recorder.ts";
import { openLedgers } from "../../../../test/support/labs/open-ledgers.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { verifyLedger } from "../ledger/verify-ledger.ts";
import { compareCopy, compareShipped } from "./compare-with-shared.ts";
import { LedgerCopy } from "./ledger-copy.ts";
import { removeSharedEvents } from "./shared-history.ts";
import { shipLedger } from "./ship-ledger.ts";

const databases = controlDatabases();
const openLedger = openLedgers();

/** History begins here. */
const BEGINS_AT = SAMPLE_DAY - (SAMPLE_DAY % DAY_MS);
const OLD = { created_at: BEGINS_AT - 40 * DAY_MS };

function openNode(database: ControlDatabase, id: string) {
  const { ledger, reader } = openLedger();
  return {
    id,
    ledger,
    reader,
    ship: () => shipLedger(database, reader, id).catchUp(),
    append: (...events: readonly (readonly [string, Partial<Event>])[]) =>
      ledger.append(
        events.map(([name, change]) => sampleSettlement(name, { agent_key: `agent of ${name}`, ...change })),
        events.map(([name, { mode = "live" }]) => ({
          id: `agent of ${name}`,
          org_id: "org",
          mode,
          agent_key: `agent of ${name}`,
          first_seen_at: 1,
        })),
      ),
  };
}

async function makeCopy(database: ControlDatabase) {
  const { ledger, reader } = openLedger();
  const copy = await LedgerCopy.open(database, ledger, LEDGER_START);
  await copy.refresh();
  return { ledger, reader, refresh: () => copy.refresh() };
}

const shared = async ({ db }: ControlDatabase) =>
  (await db.selectFrom("shared_events").select(["position", "id"]).orderBy("position").execute()).map(
    ({ position, id }) => `${position} ${id}`,
  );

/** As the control plane does once nothing needs the events before. */
const beginWith = async ({ db }: ControlDatabase, seq: number, eventId: string) => {
  await db
    .updateTable("history")
    .set({ begins_at: BEGINS_AT, begins_seq: seq, begins_event_id: eventId })
    .execute();
};

/** Two nodes that have shipped two old and two new calls each; history begins with the fifth. */
async function cluster() {
  const database = await databases.open("postgres");
  const [one, other] = [openNode(database, "one"), openNode(database, "other")];
  await one.append(["a", OLD], ["reported", { ...OLD, source: "ingest" }]);
  await other.append(["b", { ...OLD, mode: "test" }], ["judged", { ...OLD, source: "judge" }]);
  await one.ship();
  await other.ship();
  await one.append(["c", {}], ["d", {}]);
  await other.append(["e", {}], ["f", {}]);
  await one.ship();
  await other.ship();
  const before = await makeCopy(database);
  await beginWith(database, 5, "c");
  return { database, one, other, before };
}

describe("retention of the shared ledger", () => {
  it("REL-021 a copy that was opened just before begins where the shared ledger begins afterwards", async () => {
    const { database } = await cluster();
    const { ledger, reader } = openLedger();
    const copy = await LedgerCopy.open(database, ledger, LEDGER_START);
    expect(await removeSharedEvents(database.db)).toBe(4);
    await copy.refresh();
    expect(reader.between(0, 100).map(({ seq, event }) => `${seq} ${event.id}`)).toEqual(
      await shared(database),
    );
    expect((await compareCopy(database.db, reader)).differences).toEqual([]);
  });

  it("REL-022 removes its beginning, and a copy that is made later agrees with one that has shrunk", async () => {
    const { database, one, other, before } = await cluster();
    const whole = verifyLedger(before.reader, () => {}, []);
    expect(await removeSharedEvents(database.db)).toBe(4);
    expect(await removeSharedEvents(database.db)).toBe(0);
    expect(await shared(database)).toEqual(["5 c", "6 d", "7 e", "8 f"]);
    await before.ledger.removeOldest({ seq: 5, eventId: "c", atMs: BEGINS_AT }, 100);
    await one.append(["g", {}]);
    await one.ship();
    await before.refresh();
    const later = await makeCopy(database);
    const all = ({ reader }: typeof later) => ({
      events: reader.between(0, 100),
      beginning: reader.beginning(),
      removed: reader.removedEvents(),
      ids: reader.removedIds(),
      months: reader.monthlyCalls(),
      agents: reader.agents().toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      cards: reader.rateCards(),
    });
    expect(all(later)).toEqual(all(before));
    expect(later.reader.between(0, 100).map(({ seq }) => seq)).toEqual([5, 6, 7, 8, 9]);
    expect(later.reader.agents()).toHaveLength(9);
    const verified = verifyLedger(later.reader, () => {}, []);
    expect(verified.differences).toEqual([]);
    expect([verified.events, verified.removed_events]).toEqual([whole.events - 4 + 1, 4]);
    for (const { reader } of [later, before]) {
      expect(await compareCopy(database.db, reader)).toMatchObject({ events: 5, differences: [] });
    }
    for (const node of [one, other]) {
      expect(await compareShipped(database.db, node.reader, node.id)).toMatchObject({ differences: [] });
    }
  });

  it("REL-022 adds nothing again: neither a restored ledger's events, nor reports that another node gets", async () => {
    const { database, one } = await cluster();
    await removeSharedEvents(database.db);
    const restored = openNode(database, "one");
    await restored.ledger.append(one.reader.between(0, 3).map(({ event }) => ({ event, cards: [] })));
    // Made after the restore, with a seq that was used before; and an old call that a client reported only now.
    await restored.append(["new", {}], ["late", { ...OLD, source: "ingest" }]);
    const reship = { onReship: () => {} };
    await shipLedger(database, restored.reader, "one", reship).catchUp();
    const third = openNode(database, "third");
    await third.append(["reported", { source: "ingest" }], ["h", {}]);
    await third.ship();
    expect(await shared(database)).toEqual(["5 c", "6 d", "7 e", "8 f", "9 new", "10 late", "11 h"]);
    expect((await compareShipped(database.db, third.reader, "third"))?.differences).toEqual([]);
  });

  it("REL-022 ships an old call that is reported to a node with a new ledger, and not what was removed", async () => {
    const { database } = await cluster();
    await removeSharedEvents(database.db);
    const replaced = openNode(database, "one");
    // With the seqs of events that the lost ledger had shipped.
    await replaced.append(["late", { ...OLD, source: "ingest" }], ["reported", { ...OLD, source: "ingest" }]);
    await shipLedger(database, replaced.reader, "one", { onReship: () => {} }).catchUp();
    expect(await shared(database)).toEqual(["5 c", "6 d", "7 e", "8 f", "9 late"]);
    expect((await compareShipped(database.db, replaced.reader, "one"))?.events).toBe(1);
  });

  it("REL-022 counts every removed event once, whichever statement fails", async () => {
    const { database } = await cluster();
    await beginWith(database, 8, "f");
    let failing = 1;
    for (let hasFailed = true; hasFailed; failing++) {
      hasFailed = false;
      const faulty = beforeStatements(database, statement => {
        if (statement === failing) throw new Error("fault");
      });
      await removeSharedEvents(faulty.db).catch(() => {
        hasFailed = true;
      });
    }
    expect(failing).toBeGreaterThan(8);
    expect(await shared(database)).toEqual(["8 f"]);
    const removed = await database.db
      .selectFrom("shared_removed_events")
      .select(["mode", "month", "events", "calls"])
      .orderBy("month")
      .orderBy("mode")
      .execute();
    expect(removed).toEqual([
      { mode: "live", month: "2026-10", events: 3, calls: 2 },
      { mode: "test", month: "2026-10", events: 1, calls: 1 },
      { mode: "live", month: "2026-11", events: 3, calls: 3 },
    ]);
  });

  it("keeps everything if the history is that of another ledger", async () => {
    const { database } = await cluster();
    await beginWith(database, 5, "another");
    expect(await removeSharedEvents(database.db)).toBe(0);
    expect(await shared(database)).toHaveLength(8);
  });

  it("REL-022 begins like the first node's ledger, if that has lost its beginning already", async () => {
    const database = await databases.open("postgres");
    const node = openNode(database, "migrated");
    await node.append(["a", OLD], ["reported", { ...OLD, source: "otlp" }], ["b", {}], ["c", {}]);
    await node.ledger.removeOldest({ seq: 3, eventId: "b", atMs: BEGINS_AT }, 100);
    await node.ship();
    expect(await shared(database)).toEqual(["3 b", "4 c"]);
    const { reader } = await makeCopy(database);
    expect(verifyLedger(reader, () => {}, [])).toMatchObject({
      events: 2,
      removed_events: 2,
      differences: [],
    });
    expect(reader.removedEvents()).toEqual(node.reader.removedEvents());
    expect((await compareShipped(database.db, node.reader, "migrated"))?.differences).toEqual([]);
    const another = openNode(database, "another");
    await another.append(["reported", { source: "otlp" }]);
    await another.ship();
    expect(await shared(database)).toHaveLength(2);
  });

  it("a copy that was interrupted before its first event begins again", async () => {
    const { database } = await cluster();
    await removeSharedEvents(database.db);
    const { ledger, reader } = openLedger();
    await LedgerCopy.open(database, ledger, LEDGER_START);
    expect(reader.newestSeq()).toBe(0);
    await beginWith(database, 7, "e");
    await removeSharedEvents(database.db);
    await (await LedgerCopy.open(database, ledger, reader.newestPosition())).refresh();
    expect(reader.between(0, 100).map(({ seq }) => seq)).toEqual([7, 8]);
    expect(verifyLedger(reader, () => {}, []).differences).toEqual([]);
  });
});
