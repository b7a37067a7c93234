import { afterAll, describe, expect, it } from "bun:test";
import { join } from "node:path";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import {
  beforeStatements,
  followAndRecord,
  followInMemory,
  noting,
  RECORDER,
  record,
  recorderRepair,
} from "../../../../test/support/labs/event-recorder.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleSettlement } from "../../../../test/support/sample-event.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  type Engine,
  openControlDatabase,
} from "../database/open-control-database.ts";
import { Ledger } from "../ledger/ledger.ts";
import { LEDGER_START, LedgerDiverged, type LedgerPosition } from "../ledger/ledger-position.ts";
import { LedgerReader } from "../ledger/ledger-reader.ts";
import { backOffMs } from "./back-off.ts";
import { LedgerContinuity } from "./ledger-continuity.ts";
import { MemoryCursor } from "./memory-cursor.ts";
import { movePosition, readPosition } from "./stored-position.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const script = join(import.meta.dir, "../../../../test/support/programs/record-events.ts");
const opened: { close(): unknown }[] = [];
afterAll(async () => {
  for (const one of opened) await one.close();
});
let made = 0;

interface Lab {
  readonly place: ControlDatabaseOptions;
  readonly database: ControlDatabase;
  readonly path: string;
  readonly reader: LedgerReader;
  /** The ids of all events, in order. */
  readonly ids: string[];
  append(count: number): Promise<void>;
  recorded(): Promise<string[]>;
  stored(): Promise<LedgerPosition | null>;
  /** Every event up to the stored position is recorded exactly once, and no event after it. */
  isExact(): Promise<boolean>;
}

async function openLab(engine: Engine): Promise<Lab> {
  const place = await databases.place(engine);
  const database = await openControlDatabase(place);
  const { db } = database;
  const path = inFolder(`ledger-${++made}.db`);
  const ledger = new Ledger(path, "normal");
  const reader = new LedgerReader(path);
  opened.push(reader, ledger, database);
  const ids: string[] = [];
  const recorded = async () => {
    const rows = await db.selectFrom("models").selectAll().execute();
    return rows.sort((a, b) => Number(a.provider) - Number(b.provider)).map(({ model }) => model);
  };
  const stored = () => readPosition(db, RECORDER);
  return {
    place,
    database,
    path,
    reader,
    ids,
    async append(count) {
      const settlements = Array.from({ length: count }, () => sampleSettlement(crypto.randomUUID()));
      await ledger.append(settlements, []);
      ids.push(...settlements.map(({ event }) => event.id));
    },
    recorded,
    stored,
    async isExact() {
      const { seq, eventId } = (await stored()) ?? LEDGER_START;
      const isNamed = seq === 0 || ids[seq - 1] === eventId;
      return isNamed && (await recorded()).join() === ids.slice(0, seq).join();
    },
  };
}

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { isOpen: promise, open: resolve };
}

function run(lab: Lab, killedAt = 0) {
  return Bun.spawn([process.execPath, script, lab.path, JSON.stringify(lab.place), String(killedAt)], {
    stdout: "pipe",
    stderr: "inherit",
  });
}

describe.each(engines)("a follower on %s", engine => {
  it("consumes events in bounded batches, and stores the position with the event's id", async () => {
    const lab = await openLab(engine);
    await lab.append(5);
    const sizes: number[] = [];
    const follower = followAndRecord(lab.database, lab.reader, {
      async apply(batch, transaction) {
        sizes.push(batch.events.length);
        await record(batch, transaction);
        return {};
      },
    });
    expect(await follower.catchUp()).toBe(5);
    expect(sizes).toEqual([2, 2, 1]);
    expect(await lab.stored()).toEqual({ seq: 5, eventId: lab.ids[4] ?? "" });
    expect(await lab.recorded()).toEqual(lab.ids);
    expect([follower.reader, follower.position, follower.lag, follower.faults]).toEqual([RECORDER, 5, 0, 0]);
    await lab.append(3);
    expect(follower.lag).toBe(3);
    expect(await follower.catchUp()).toBe(3);
    expect(await follower.catchUp()).toBe(0);
  });

  it("REL-007 repeats and skips nothing, whichever statement fails", async () => {
    const lab = await openLab(engine);
    let failing = 0;
    let statements = 0;
    const database = beforeStatements(lab.database, statement => {
      if (statement - statements === failing) throw new Error("fault");
      if (failing === 0) statements = statement;
    });
    for (let hasFailed = true, next = 1; hasFailed; next++) {
      await lab.append(3);
      hasFailed = false;
      const follower = followAndRecord(database, lab.reader);
      failing = next;
      await follower.catchUp().catch(() => {
        hasFailed = true;
      });
      failing = 0;
      expect(await lab.isExact()).toBe(true);
      // The same follower continues, with its state in memory.
      await follower.catchUp();
      expect(await lab.recorded()).toEqual(lab.ids);
    }
    expect(lab.ids.length).toBeGreaterThan(20);
  });

  it("REL-007 repeats and skips nothing, whichever statement its process is killed before", async () => {
    const lab = await openLab(engine);
    let kills = 0;
    for (let statement = 1, code: number | null = null; code !== 0; statement++) {
      await lab.append(3);
      const child = run(lab, statement);
      await child.exited;
      code = child.exitCode;
      if (child.signalCode === "SIGKILL") kills++;
      expect(await lab.isExact()).toBe(true);
    }
    expect(kills).toBeGreaterThan(5);
    expect(await lab.recorded()).toEqual(lab.ids);
  });

  it("REL-007 shares the work with another process: each event is consumed by one of them", async () => {
    const lab = await openLab(engine);
    await lab.append(200);
    const children = [run(lab), run(lab)];
    const taken = await Promise.all(children.map(child => new Response(child.stdout).text()));
    expect(await Promise.all(children.map(child => child.exited))).toEqual([0, 0]);
    expect(Number(taken[0]) + Number(taken[1])).toBe(200);
    expect(await lab.recorded()).toEqual(lab.ids);
  });

  it("continues where another process has moved the cursor, and drops its state in memory", async () => {
    const lab = await openLab(engine);
    await lab.append(4);
    let forgotten = 0;
    const follower = followAndRecord(lab.database, lab.reader, { forget: () => forgotten++ });
    await follower.catchUp();
    await lab.database.db.deleteFrom("models").execute();
    await movePosition(lab.database.db, RECORDER, LEDGER_START);
    await lab.append(1);
    await follower.catchUp();
    expect(await lab.recorded()).toEqual(lab.ids);
    expect(forgotten).toBe(1);
  });

  it("cannot write a batch after a pause in which another process consumed it", async () => {
    const lab = await openLab(engine);
    await lab.append(2);
    const late = followAndRecord(lab.database, lab.reader, {
      // Between the read of the position and the transaction.
      hasWork: async () => {
        await followAndRecord(lab.database, lab.reader).catchUp();
        return true;
      },
    });
    expect(await late.catchUp()).toBe(0);
    expect(await lab.recorded()).toEqual(lab.ids);
  });

  it("throws if the ledger does not have its position, and changes nothing", async () => {
    const lab = await openLab(engine);
    await lab.append(3);
    await followAndRecord(lab.database, lab.reader).catchUp();
    await lab.database.db.deleteFrom("models").execute();
    for (const position of [
      { seq: 4, eventId: "beyond the end" },
      { seq: 4, eventId: null },
      { seq: 2, eventId: lab.ids[0] ?? "" },
    ]) {
      await movePosition(lab.database.db, RECORDER, position);
      await expect(followAndRecord(lab.database, lab.reader).catchUp()).rejects.toThrow(LedgerDiverged);
      expect(await lab.stored()).toEqual(position);
    }
    expect(await lab.recorded()).toEqual([]);
    // As stored by an older version: the seq alone.
    await movePosition(lab.database.db, RECORDER, { seq: 2, eventId: null });
    expect(await followAndRecord(lab.database, lab.reader).catchUp()).toBe(1);
    expect(await lab.recorded()).toEqual(lab.ids.slice(2));
  });

  it("REL-014 rebuilds everything if the ledger lacks the event at its cursor", async () => {
    for (const position of [
      { seq: 9, eventId: "beyond the end" },
      { seq: 2, eventId: "another" },
    ]) {
      const lab = await openLab(engine);
      await lab.append(3);
      const continuity = new LedgerContinuity({
        database: lab.database,
        ledger: lab.reader,
        repairs: [recorderRepair],
        now: Date.now,
        log: () => {},
      });
      const follower = followAndRecord(lab.database, lab.reader, {}, { continuity });
      await follower.catchUp();
      await movePosition(lab.database.db, RECORDER, position);
      await lab.append(1);
      expect(await follower.catchUp()).toBe(4);
      expect(await lab.recorded()).toEqual(lab.ids);
      expect(continuity.generation).toBe(1);
    }
  });

  it("cannot be created without a repair for lost events", async () => {
    const lab = await openLab(engine);
    const continuity = new LedgerContinuity({
      database: lab.database,
      ledger: lab.reader,
      repairs: [],
      now: Date.now,
      log: () => {},
    });
    expect(() => followAndRecord(lab.database, lab.reader, {}, { continuity })).toThrow(RECORDER);
  });

  it("consumes nothing beyond the limit, and the rest once the limit has moved", async () => {
    const lab = await openLab(engine);
    await lab.append(9);
    let limit = 5;
    const follower = followAndRecord(lab.database, lab.reader, { limit: async () => limit });
    expect([await follower.catchUp(), await follower.catchUp()]).toEqual([5, 0]);
    limit = 100;
    expect(await follower.catchUp()).toBe(4);
    expect(await lab.recorded()).toEqual(lab.ids);
  });

  it("skips unneeded events in memory, and stores the position after ten thousand", async () => {
    const lab = await openLab(engine);
    await lab.append(4);
    let hasWork = false;
    const follower = followAndRecord(lab.database, lab.reader, {
      batchSize: 20_000,
      hasWork: async () => hasWork,
      apply: async () => ({ isEmpty: true }),
    });
    await follower.catchUp();
    expect(await lab.stored()).toEqual(LEDGER_START);
    expect(follower.position).toBe(4);
    await lab.append(10_000);
    hasWork = true;
    expect(await follower.catchUp()).toBe(10_000);
    expect((await lab.stored())?.seq).toBe(10_004);
  });

  it("continues after the last consumed event, and runs `afterCommit` only after the commit", async () => {
    const lab = await openLab(engine);
    await lab.append(5);
    const committed: number[] = [];
    let isBroken = true;
    const follower = followAndRecord(lab.database, lab.reader, {
      batchSize: 3,
      async apply(batch, transaction) {
        const [first] = batch.events;
        if (first === undefined) throw new Error("an empty batch");
        await record({ ...batch, events: [first] }, transaction);
        const broken = isBroken && first.seq === 3;
        const upTo = { seq: first.seq, eventId: broken ? "x".repeat(3) : first.id };
        if (broken)
          await transaction
            .selectFrom("nowhere" as "models")
            .selectAll()
            .execute();
        return { upTo, afterCommit: () => committed.push(first.seq) };
      },
    });
    await expect(follower.catchUp()).rejects.toThrow("nowhere");
    expect(committed).toEqual([1, 2]);
    isBroken = false;
    await follower.catchUp();
    expect(committed).toEqual([1, 2, 3, 4, 5]);
    expect(await lab.recorded()).toEqual(lab.ids);
  });

  it("finishes the current batch when it is stopped, and starts no other", async () => {
    const lab = await openLab(engine);
    await lab.append(6);
    const stop = new AbortController();
    const [entered, finish] = [gate(), gate()];
    const follower = followAndRecord(lab.database, lab.reader, {
      async apply(batch, transaction) {
        entered.open();
        await finish.isOpen;
        await record(batch, transaction);
        return {};
      },
    });
    const running = follower.run(stop.signal);
    await entered.isOpen;
    stop.abort();
    finish.open();
    await running;
    expect(await lab.stored()).toEqual({ seq: 2, eventId: lab.ids[1] ?? "" });
    expect(await lab.isExact()).toBe(true);
  });

  it("consumes events that arrive while it runs, and continues after faults, which it counts and reports", async () => {
    const lab = await openLab(engine);
    const stop = new AbortController();
    const reported: string[] = [];
    let faults = 2;
    const follower = followAndRecord(
      lab.database,
      lab.reader,
      {
        async apply(batch, transaction) {
          await record(batch, transaction);
          if (faults-- > 0) throw new Error("away");
          return {};
        },
      },
      { onFault: (fault, reader) => reported.push(`${reader} ${fault}`) },
    );
    const running = follower.run(stop.signal);
    await lab.append(1);
    await eventually("the first is taken", () => follower.position === 1);
    await lab.append(4);
    await eventually("the rest is taken", () => follower.position === 5);
    stop.abort();
    await running;
    expect(reported).toEqual([`${RECORDER} Error: away`, `${RECORDER} Error: away`]);
    expect(follower.faults).toBe(2);
    expect(await lab.recorded()).toEqual(lab.ids);
  });

  it("neither delays others nor is delayed by a slow consumer: it yields after each batch", async () => {
    const lab = await openLab(engine);
    await lab.append(20);
    const finish = gate();
    const slow = followInMemory(lab.reader, 0, { apply: () => finish.isOpen.then(() => ({})) });
    const catchingUp = slow.catchUp();
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    expect(await followAndRecord(lab.database, lab.reader).catchUp()).toBe(20);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(9);
    expect(slow.position).toBe(0);
    finish.open();
    expect(await catchingUp).toBe(20);
  });

  it("runs upkeep until none is left, between batches and without events", async () => {
    const lab = await openLab(engine);
    let left = 3;
    const follower = followAndRecord(lab.database, lab.reader, { upkeep: async () => --left > 0 });
    await follower.catchUp();
    expect(left).toBe(0);
  });

  it("prepares its consumer before the first batch, and again after a fault", async () => {
    const lab = await openLab(engine);
    await lab.append(4);
    const prepared: number[] = [];
    let isBroken = true;
    const follower = followAndRecord(lab.database, lab.reader, {
      async prepare({ seq }) {
        prepared.push(seq);
        return true;
      },
      async apply(batch, transaction) {
        await record(batch, transaction);
        if (isBroken && batch.to.seq === 4) throw new Error("broken");
        return {};
      },
    });
    await expect(follower.catchUp()).rejects.toThrow("broken");
    isBroken = false;
    await follower.catchUp();
    expect(prepared).toEqual([0, 2]);
    expect(await lab.recorded()).toEqual(lab.ids);
  });
});

describe("a follower with its position in memory", () => {
  it("consumes every event once, from its start position", async () => {
    const lab = await openLab("sqlite");
    await lab.append(4);
    const seen: number[] = [];
    const follower = followInMemory(lab.reader, 2, { batchSize: 3, apply: noting(seen) });
    await follower.catchUp();
    await lab.append(2);
    await Promise.all([follower.catchUp(), follower.catchUp()]);
    expect(seen).toEqual([3, 4, 5, 6]);
  });

  it("consumes a backlog in batches up to its consumer's largest", async () => {
    const lab = await openLab("sqlite");
    await lab.append(40);
    const sizes: number[] = [];
    const follower = followInMemory(lab.reader, 0, {
      batchSize: 3,
      largestBatch: 10,
      apply({ events }) {
        sizes.push(events.length);
        return {};
      },
    });
    await follower.catchUp();
    expect(sizes[0]).toBe(3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(40);
  });

  it("is not moved back by a batch or skip that began before another move", async () => {
    const lab = await openLab("sqlite");
    await lab.append(6);
    const cursor = new MemoryCursor(async () => LEDGER_START);
    const from = await cursor.position();
    cursor.moveTo(lab.reader.newestPosition());
    const step = { to: lab.reader.positionAt(2) ?? LEDGER_START, isEmpty: false };
    expect(await cursor.advance(from, () => step)).toBeNull();
    cursor.skip(from, step.to);
    expect(cursor.at.seq).toBe(6);
  });

  it("keeps its position when a batch fails", async () => {
    const lab = await openLab("sqlite");
    await lab.append(2);
    let isBroken = true;
    const follower = followInMemory(lab.reader, 0, {
      apply() {
        if (isBroken) throw new Error("broken");
        return {};
      },
    });
    await expect(follower.catchUp()).rejects.toThrow("broken");
    isBroken = false;
    expect(await follower.catchUp()).toBe(2);
  });
});

it("backs off exponentially after faults, up to five seconds", () => {
  expect([1, 2, 3, 4, 5, 6, 60].map(backOffMs)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
});
