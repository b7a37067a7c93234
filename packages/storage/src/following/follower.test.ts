import { describe, expect, it } from "bun:test";
import { engines } from "../../../../test/support/labs/control-databases.ts";
import {
  followAndRecord,
  followInMemory,
  RECORDER,
  record,
} from "../../../../test/support/labs/event-recorder.ts";
import { followerLabs } from "../../../../test/support/labs/follower-lab.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { nextTurn } from "../engine/next-turn.ts";
import { Pulse } from "../engine/pulse.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";

const openLab = followerLabs();

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { isOpen: promise, open: resolve };
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

  it("consumes a backlog in growing batches, but only in short ones if other writers wait for them", async () => {
    const lab = await openLab(engine);
    await lab.append(3);
    const sizes: number[] = [];
    const follower = followAndRecord(lab.database, lab.reader, {
      batchSize: 1,
      largestBatch: 10,
      async apply(batch, transaction) {
        sizes.push(batch.events.length);
        const before = process.threadCpuUsage();
        while (sizes.length === 1 && process.threadCpuUsage(before).user < 700_000);
        await record(batch, transaction);
        return {};
      },
    });
    await follower.catchUp();
    expect(sizes).toEqual(engine === "sqlite" ? [1, 1, 1] : [1, 2]);
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

  it("goes on at once after a full batch, and pauses after one that ended the backlog", async () => {
    const lab = await openLab(engine);
    await lab.append(5);
    const sizes: number[] = [];
    const stop = new AbortController();
    const follower = followAndRecord(lab.database, lab.reader, {
      pollMs: 600_000,
      async apply(batch, transaction) {
        sizes.push(batch.events.length);
        // Arrives during the last batch.
        if (sizes.length === 3) await lab.append(1);
        await record(batch, transaction);
        return {};
      },
    });
    const running = follower.run(stop.signal);
    await eventually("the backlog is consumed", () => follower.position === 5);
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    stop.abort();
    await running;
    expect([sizes, follower.lag]).toEqual([[2, 2, 1], 1]);
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

  it("runs upkeep when the database that it depends on has changed, and not otherwise", async () => {
    const lab = await openLab(engine);
    const pulse = new Pulse({ readVersion: () => 1, logPath: "no log", lookEveryMs: 1 });
    let runs = 0;
    const follower = followAndRecord(lab.database, lab.reader, {
      upkeepOn: pulse,
      upkeep: async () => ++runs < 0,
    });
    const stop = new AbortController();
    const running = follower.run(stop.signal);
    await eventually("the first upkeep", () => runs > 0);
    for (let changes = 0; changes < 3; changes++) {
      const before = runs;
      pulse.beat();
      await eventually("upkeep after a change", () => runs > before);
    }
    expect(runs).toBeLessThanOrEqual(1 + pulse.beats + lab.reader.pulse.beats);
    stop.abort();
    await running;
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
