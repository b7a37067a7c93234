import { afterAll, describe, expect, it } from "bun:test";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleSettlement } from "../../../../test/support/sample-event.ts";
import type { Engine } from "../database/open-control-database.ts";
import { Ledger } from "../ledger/ledger.ts";
import { LEDGER_START, LedgerDiverged, type LedgerPosition } from "../ledger/ledger-position.ts";
import { LedgerReader } from "../ledger/ledger-reader.ts";
import { LedgerCursor } from "./ledger-cursor.ts";
import { movePosition, readPosition } from "./stored-position.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const opened: { close(): void }[] = [];
afterAll(() => {
  for (const one of opened) one.close();
});
let made = 0;

/** A reader whose whole work is to write down which events it has seen, in a table that is there anyway. */
async function startReader(engine: Engine) {
  const database = await databases.open(engine);
  const { db } = database;
  const path = inFolder(`ledger-${++made}.db`);
  const ledger = new Ledger(path, "normal");
  const reader = new LedgerReader(path);
  opened.push(reader, ledger);
  const newCursor = (begin: LedgerPosition = LEDGER_START) =>
    new LedgerCursor(database, "test", async () => begin);
  /** One batch of two; `fail`: after everything was written, before the commit. */
  const step = (cursor: LedgerCursor, fail = false) =>
    cursor.advance(async (transaction, from) => {
      const { place, events } = reader.readFrom(from, place => ({
        place,
        events: reader.summariesAfter(place.seq, 2),
      }));
      for (const { id, seq } of events) {
        await transaction
          .insertInto("models")
          .values({ provider: String(seq), model: id })
          .execute();
      }
      if (fail) throw new Error("crash");
      const last = events.at(-1);
      const to = last === undefined ? place : { seq: last.seq, eventId: last.id };
      return { to, isEmpty: events.length === 0, result: events.length };
    });
  return {
    db,
    engine,
    reader,
    newCursor,
    step,
    append: async (count: number) => {
      const settlements = Array.from({ length: count }, () => sampleSettlement(crypto.randomUUID()));
      await ledger.append(settlements, []);
      return settlements.map(({ event }) => event.id);
    },
    seen: async () =>
      (await db.selectFrom("models").select("model").orderBy("id").execute()).map(({ model }) => model),
    stored: () => readPosition(db, "test"),
  };
}

describe.each(engines)("a reader's place in the ledger on %s", engine => {
  it("is kept with the event's id, in the transaction of what was derived", async () => {
    const lab = await startReader(engine);
    const ids = await lab.append(3);
    const cursor = lab.newCursor();
    expect(await lab.step(cursor)).toBe(2);
    expect(await lab.stored()).toEqual({ seq: 2, eventId: ids[1] ?? "" });
    await expect(lab.step(cursor, true)).rejects.toThrow("crash");
    expect(await lab.stored()).toEqual({ seq: 2, eventId: ids[1] ?? "" });
    expect(await lab.seen()).toEqual(ids.slice(0, 2));
    expect(await lab.step(cursor)).toBe(1);
    expect(await lab.seen()).toEqual(ids);
  });

  it("two readers of one name repeat nothing and skip nothing", async () => {
    const lab = await startReader(engine);
    const ids = await lab.append(20);
    const both = [lab.newCursor(), lab.newCursor()];
    const all = async (cursor: LedgerCursor) => {
      while ((await lab.step(cursor)) > 0);
    };
    await Promise.all(both.map(all));
    expect((await lab.seen()).toSorted()).toEqual(ids.toSorted());
  });

  it("begins where it is told, once", async () => {
    const lab = await startReader(engine);
    await lab.append(4);
    const place = lab.reader.positionAt(3) ?? LEDGER_START;
    expect(await lab.newCursor(place).place()).toEqual(place);
    expect(await lab.newCursor().place()).toEqual(place);
  });

  it("passes events from which nothing follows in memory, and writes it after ten thousand", async () => {
    const lab = await startReader(engine);
    const ids = await lab.append(4);
    const cursor = lab.newCursor();
    await cursor.place();
    cursor.skipTo(lab.reader.newestPosition());
    expect(await lab.stored()).toEqual(LEDGER_START);
    await lab.append(1);
    expect(await lab.step(cursor)).toBe(1);
    expect(await lab.seen()).not.toContain(ids[3] ?? "");
    const far = { seq: 20_000, eventId: "far" };
    await cursor.advance(async () => ({ to: far, isEmpty: true, result: null }));
    expect(await lab.stored()).toEqual(far);
  });

  it("believes whoever else moved it, forward or back", async () => {
    const lab = await startReader(engine);
    const ids = await lab.append(4);
    const cursor = lab.newCursor();
    await lab.step(cursor);
    await lab.step(cursor);
    await movePosition(lab.db, "test", LEDGER_START);
    await lab.db.deleteFrom("models").execute();
    await lab.step(cursor);
    await lab.step(cursor);
    expect(await lab.seen()).toEqual(ids);
  });

  it("is refused when the ledger ends before it, or has another event there", async () => {
    const lab = await startReader(engine);
    const ids = await lab.append(3);
    for (const place of [
      { seq: 4, eventId: "beyond the end" },
      { seq: 4, eventId: null },
      { seq: 2, eventId: ids[0] ?? "" },
    ]) {
      const cursor = lab.newCursor();
      await cursor.place();
      await movePosition(lab.db, "test", place);
      await expect(lab.step(cursor)).rejects.toThrow(LedgerDiverged);
      expect(await lab.stored()).toEqual(place);
    }
    expect(await lab.seen()).toEqual([]);
    // A version that kept the number alone.
    await movePosition(lab.db, "test", { seq: 2, eventId: null });
    expect(await lab.step(lab.newCursor())).toBe(1);
    expect(await lab.seen()).toEqual(ids.slice(2));
  });
});
