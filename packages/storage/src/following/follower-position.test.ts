import { describe, expect, it } from "bun:test";
import { engines } from "../../../../test/support/labs/control-databases.ts";
import {
  beforeStatements,
  followAndRecord,
  RECORDER,
  recorderRepair,
} from "../../../../test/support/labs/event-recorder.ts";
import { followerLabs, startRecording } from "../../../../test/support/labs/follower-lab.ts";
import { LEDGER_START, LedgerDiverged } from "../ledger/ledger-position.ts";
import { LedgerContinuity } from "./ledger-continuity.ts";
import { movePosition } from "./stored-position.ts";

const openLab = followerLabs();

describe.each(engines)("a follower on %s", engine => {
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

  it("REL-007 shares the work with another process: each event is consumed by one of them", async () => {
    const lab = await openLab(engine);
    await lab.append(200);
    const children = [startRecording(lab), startRecording(lab)];
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
});
