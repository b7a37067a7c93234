import { describe, expect, it, spyOn } from "bun:test";
import { renameSync } from "node:fs";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { beforeStatements } from "../../../../test/support/labs/event-recorder.ts";
import { openLedgers } from "../../../../test/support/labs/open-ledgers.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { DatabaseUnavailable } from "../engine/database-unavailable.ts";
import { Ledger } from "../ledger/ledger.ts";
import { LEDGER_START, LedgerDiverged } from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { CopyDiverged, LedgerCopy } from "./ledger-copy.ts";
import { shipLedger } from "./ship-ledger.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const openLedger = openLedgers();
let made = 0;

function openNode(database: ControlDatabase, id = `node-${++made}`) {
  const { ledger, reader } = openLedger();
  return {
    id,
    reader,
    shipping: shipLedger(database, reader, id),
    async append(count: number, agentKey = "writer"): Promise<string[]> {
      const ids = Array.from({ length: count }, () => crypto.randomUUID());
      await ledger.append(
        ids.map(one => ({
          ...sampleSettlement(one, { agent_key: agentKey, price_version: `card of ${id}` }),
          cards: [{ version: `card of ${id}`, card: "{}" }],
        })),
        [{ id: crypto.randomUUID(), org_id: "org", mode: "live", agent_key: agentKey, first_seen_at: 1 }],
      );
      return ids;
    },
    ids: () => reader.between(0, Number.MAX_SAFE_INTEGER).map(({ event }) => event.id),
  };
}

async function openCopy(database: ControlDatabase) {
  const { ledger, reader } = openLedger();
  return { reader, copy: await LedgerCopy.open(database, ledger, LEDGER_START), ids: () => idsOf(reader) };
}

const idsOf = (reader: LedgerReader) =>
  reader.between(0, Number.MAX_SAFE_INTEGER).map(({ event }) => event.id);

async function sharedIds({ db }: ControlDatabase): Promise<string[]> {
  const rows = await db.selectFrom("shared_events").select(["id", "position"]).orderBy("position").execute();
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1));
  return rows.map(({ id }) => id);
}

describe("shipping", () => {
  it("brings the events of each node to PostgreSQL once, in the order of that node", async () => {
    const database = await databases.open("postgres");
    const [one, other] = [openNode(database), openNode(database)];
    await one.append(3);
    await other.append(2);
    await one.shipping.catchUp();
    await other.shipping.catchUp();
    await one.append(2);
    await Promise.all([one.shipping.catchUp(), other.shipping.catchUp()]);
    expect(await one.shipping.catchUp()).toBe(0);
    expect(await sharedIds(database)).toEqual([
      ...one.ids().slice(0, 3),
      ...other.ids(),
      ...one.ids().slice(3),
    ]);
  });

  it("repeats and skips nothing, whichever statement fails", async () => {
    const database = await databases.open("postgres");
    const node = openNode(database);
    let failing = 0;
    let statements = 0;
    const failingDatabase = beforeStatements(database, statement => {
      if (statement - statements === failing) throw new Error("fault");
      if (failing === 0) statements = statement;
    });
    const shipping = shipLedger(failingDatabase, node.reader, node.id);
    for (let hasFailed = true, next = 1; hasFailed; next++) {
      await node.append(3, `agent ${next}`);
      hasFailed = false;
      failing = next;
      await shipping.catchUp().catch(() => {
        hasFailed = true;
      });
      failing = 0;
      await shipping.catchUp();
      expect(await sharedIds(database)).toEqual(node.ids());
    }
    expect(node.ids().length).toBeGreaterThan(15);
  });

  it("many nodes at once leave no gap, and every event is there", async () => {
    const database = await databases.open("postgres");
    const nodes = Array.from({ length: 4 }, () => openNode(database));
    for (let round = 0; round < 5; round++) {
      await Promise.all(nodes.map(node => node.append(40)));
      await Promise.all(nodes.map(node => node.shipping.catchUp()));
    }
    expect((await sharedIds(database)).sort()).toEqual(nodes.flatMap(node => node.ids()).sort());
  });

  it("ships an event that two nodes have ingested once", async () => {
    const database = await databases.open("postgres");
    const [one, other] = [openLedger(), openLedger()];
    const same = sampleSettlement(crypto.randomUUID());
    await one.ledger.append([same]);
    await other.ledger.append([sampleSettlement(crypto.randomUUID()), same]);
    await shipLedger(database, one.reader, "one").catchUp();
    await shipLedger(database, other.reader, "other").catchUp();
    expect(await sharedIds(database)).toEqual([same.event.id, ...idsOf(other.reader).slice(0, 1)]);
  });

  it("starts over with a ledger that was restored, and keeps what it had shipped before", async () => {
    const database = await databases.open("postgres");
    const node = openNode(database, "restored");
    await node.append(5);
    await node.shipping.catchUp();
    const kept = node.reader.between(0, 3).map(({ event }) => ({ event, cards: [] }));
    const { ledger, reader } = openLedger();
    await ledger.append(kept);
    await ledger.append([sampleSettlement(crypto.randomUUID())]);
    await expect(shipLedger(database, reader, "restored").catchUp()).rejects.toThrow(LedgerDiverged);
    let reships = 0;
    const shipping = shipLedger(database, reader, "restored", { onReship: () => reships++ });
    await shipping.catchUp();
    expect(await sharedIds(database)).toEqual([...node.ids(), ...idsOf(reader).slice(3)]);
    expect([reships, await shipping.catchUp()]).toEqual([1, 0]);
  });

  it("starts over with a ledger that loses its end while it ships", async () => {
    const database = await databases.open("postgres");
    const path = inFolder("losing.db");
    const { ledger, reader } = openLedger(path);
    const stop = new AbortController();
    let reships = 0;
    const shipping = shipLedger(database, reader, "losing", { onReship: () => reships++ });
    const running = shipping.run(stop.signal);
    await ledger.append(Array.from({ length: 5 }, () => sampleSettlement(crypto.randomUUID())));
    await eventually("it has shipped all", async () => (await sharedIds(database)).length === 5);
    const before = idsOf(reader);

    const other = new Ledger(inFolder("shorter.db"), "normal");
    await other.append(reader.between(0, 3).map(({ event }) => ({ event, cards: [] })));
    await other.append([sampleSettlement(crypto.randomUUID())]);
    await other.close();
    renameSync(inFolder("shorter.db"), path);
    reader.file.look();
    reader.reopen();
    await eventually("it has shipped the new event", async () => (await sharedIds(database)).length === 6);
    stop.abort();
    await running;
    expect(await sharedIds(database)).toEqual([...before, ...idsOf(reader).slice(3)]);
    expect([reships, shipping.faults]).toEqual([1, 0]);
  });
});

describe("a copy of the shared ledger", () => {
  it("REL-021 has every node's events in the shared order, also those that commit late", async () => {
    const database = await databases.open("postgres");
    const [one, other] = [openNode(database), openNode(database)];
    const [first, second] = [await openCopy(database), await openCopy(database)];
    await one.append(3);
    await one.shipping.catchUp();
    await first.copy.refresh();
    // Created before the events above were shipped, and shipped after them.
    await other.append(2, "reader");
    await one.append(1);
    await Promise.all([one.shipping.catchUp(), other.shipping.catchUp()]);
    await Promise.all([first.copy.refresh(), second.copy.refresh()]);
    expect(first.ids()).toEqual(await sharedIds(database));
    expect(second.ids()).toEqual(first.ids());
    expect(first.ids().length).toBe(6);
    expect(first.reader.agents()).toEqual(second.reader.agents());
    expect(
      first.reader
        .agents()
        .map(({ agent_key }) => agent_key)
        .sort(),
    ).toEqual(["reader", "writer"]);
    expect(first.reader.rateCards()).toEqual(second.reader.rateCards());
    expect(first.reader.rateCards().length).toBe(2);
  });

  it("is the same event, field by field", async () => {
    const database = await databases.open("postgres");
    const node = openNode(database);
    const { copy, reader } = await openCopy(database);
    await node.append(1, "a name\u0000with \ud800 odd characters");
    await node.shipping.catchUp();
    await copy.refresh();
    expect(reader.between(0, 1)).toEqual(node.reader.between(0, 1));
    expect(reader.agents()).toEqual(node.reader.agents());
  });

  it("wakes up on `wake`, and resumes after faults", async () => {
    const database = await databases.open("postgres");
    const node = openNode(database);
    const { ledger, reader } = openLedger();
    let faults = 0;
    let isAway = false;
    const away = beforeStatements(database, () => {
      if (isAway) throw new Error("away");
    });
    const copy = await LedgerCopy.open(away, ledger, LEDGER_START, () => faults++);
    isAway = true;
    const stop = new AbortController();
    const running = copy.run(stop.signal);
    await node.append(2);
    await node.shipping.catchUp();
    await eventually("it has a fault", () => faults > 0);
    isAway = false;
    await eventually("it has copied both", () => reader.newestSeq() === 2);
    await node.append(1);
    await node.shipping.catchUp();
    copy.wake();
    await eventually("it has copied the third", () => reader.newestSeq() === 3);
    stop.abort();
    await running;
  });

  it("is stuck as long as this machine cannot write, and not because PostgreSQL is away", async () => {
    const database = await databases.open("postgres");
    const node = openNode(database);
    const { ledger, reader } = openLedger();
    const faults: unknown[] = [];
    let isAway = false;
    const away = beforeStatements(database, () => {
      if (isAway) throw new DatabaseUnavailable("away");
    });
    const copy = await LedgerCopy.open(away, ledger, LEDGER_START, fault => faults.push(fault));
    isAway = true;
    const stop = new AbortController();
    const running = copy.run(stop.signal);
    await eventually("PostgreSQL is away for long", () => faults.length > 3);
    expect(copy.isStuck).toBe(false);
    const append = spyOn(ledger, "append").mockRejectedValue(new Error("the disk is full"));
    isAway = false;
    await node.append(1);
    await node.shipping.catchUp();
    await eventually("it is stuck", () => copy.isStuck);
    append.mockRestore();
    await eventually("it goes on", () => !copy.isStuck);
    expect(reader.newestSeq()).toBe(1);
    stop.abort();
    await running;
  });

  it("stops if PostgreSQL lacks its last event", async () => {
    const database = await databases.open("postgres");
    const node = openNode(database);
    const { ledger } = openLedger();
    await node.append(2);
    await node.shipping.catchUp();
    const copy = await LedgerCopy.open(database, ledger, { seq: 2, eventId: "another" });
    await expect(copy.refresh()).rejects.toThrow(CopyDiverged);
    await expect(
      (await LedgerCopy.open(database, ledger, { seq: 9, eventId: "x" })).refresh(),
    ).rejects.toThrow(CopyDiverged);
  });
});
