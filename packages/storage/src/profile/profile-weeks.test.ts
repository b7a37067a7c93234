import { describe, expect, it } from "bun:test";
import { DAY_MS, WEEK_MS } from "@tollgate/core/time/durations";
import fc from "fast-check";
import { sql } from "kysely";
import { engines } from "../../../../test/support/labs/control-databases.ts";
import { type ReadModelLab, readModelLab } from "../../../../test/support/labs/read-model-lab.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { movePosition, readPosition } from "../following/stored-position.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { createProfile } from "./control-profile.ts";
import { followProfile } from "./follow-profile.ts";
import type { AgentModelProfile } from "./profile-queries.ts";
import { PROFILE_CURSOR, profileRepair, WEEKS_CURSOR } from "./profile-repair.ts";
import { summedUntil } from "./profile-weeks.ts";
import { verifyProfile } from "./verify-profile.ts";

const open = readModelLab();
const scope = { orgId: "org", mode: "live" } as const;
const NOW = Date.parse("2026-11-15T12:00:00Z");
const FIRST_WEEK = Math.floor(NOW / WEEK_MS) * WEEK_MS - 6 * WEEK_MS;
const everything = { from: 0, to: NOW };
/** The last week that is over for more than a day: NOW is a Sunday, and weeks since 1970 begin on Thursdays. */
const SUMMED_UNTIL = FIRST_WEEK + 6 * WEEK_MS;

interface Call {
  readonly day: number;
  readonly agent: number;
  readonly model: number;
}

let calls = 0;

const settlement = ({ day, agent, model }: Call) =>
  sampleSettlement(`event ${calls++}`, {
    created_at: Math.min(FIRST_WEEK + day * DAY_MS + (calls % 1000), NOW),
    agent_key: `agent ${agent}`,
    model: model === 0 ? "gpt-4o" : "gpt-4o-mini",
    request_hash: `request ${calls % 3}`,
  });

const follower = (lab: ReadModelLab, now = NOW) =>
  followProfile(lab.database, lab.reader, {
    contextWindowOf: () => null,
    batchSize: 4,
    now: () => now,
    agentsAtOnce: 2,
  });

async function follow(lab: ReadModelLab, added: readonly Call[]): Promise<void> {
  await lab.ledger.append(added.map(settlement));
  await lab.follower.catchUp();
  await follower(lab).catchUp();
}

const read = (lab: ReadModelLab, window = everything, agentIds?: readonly string[]) =>
  createProfile(lab.database, lab.reader).agentModels(scope, window, agentIds);

/** The same from the days alone. */
async function readDays(lab: ReadModelLab, window = everything): Promise<AgentModelProfile[]> {
  const { db } = lab.database;
  const position = await readPosition(db, WEEKS_CURSOR);
  if (position === null) throw new Error("no weeks are summed");
  await movePosition(db, WEEKS_CURSOR, { ...position, seq: 0 });
  try {
    return await read(lab, window);
  } finally {
    await movePosition(db, WEEKS_CURSOR, position);
  }
}

/** As queries see it. */
async function readSummedUntil({ database: { db } }: ReadModelLab): Promise<number> {
  const { rows } = await sql<{ until: number }>`SELECT ${summedUntil} AS until`.execute(db);
  return Number(rows[0]?.until);
}

const everyDay = Array.from({ length: 45 }, (_, day) => ({ day, agent: day % 5, model: day % 2 }));

const someCalls = fc.array(
  fc.record({
    day: fc.integer({ min: 0, max: 45 }),
    agent: fc.integer({ min: 0, max: 6 }),
    model: fc.integer({ min: 0, max: 1 }),
  }),
  { maxLength: 12 },
);

describe.each(engines)("weeks of the profile on %s", engine => {
  it("are always the sums of their days, whenever calls are reported and followers are replaced", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(someCalls, fc.integer({ min: 0, max: 40 })), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: -3, max: 30 }),
        fc.integer({ min: 0, max: 50 }),
        async (reports, from, length) => {
          const lab = await open(engine);
          let running = follower(lab);
          for (const [reported, passedDays] of [...reports, [everyDay, 40] as const]) {
            await lab.ledger.append(reported.map(settlement));
            await lab.follower.catchUp();
            // Stops after a part of a week, and is sometimes replaced there.
            const stop = new AbortController();
            const following = running.catchUp(stop.signal);
            if (passedDays % 3 === 0) stop.abort();
            await following;
            if (passedDays % 2 === 0) running = follower(lab, FIRST_WEEK + passedDays * DAY_MS);
            expect(await verifyProfile(lab.database)).toEqual([]);
          }
          await follower(lab).catchUp();
          expect(await verifyProfile(lab.database)).toEqual([]);
          expect(await readSummedUntil(lab)).toBe(SUMMED_UNTIL);
          const start = FIRST_WEEK + from * DAY_MS;
          const window = { from: start, to: start + length * DAY_MS + (length % 4) * 1000 };
          expect(await read(lab, window)).toEqual(await readDays(lab, window));
        },
      ),
      { numRuns: engine === "sqlite" ? 6 : 2 },
    );
  });

  it("are read instead of their days, for all agents or for some", async () => {
    const lab = await open(engine);
    await follow(lab, everyDay);
    const rows = await readDays(lab);
    expect(await read(lab)).toEqual(rows);
    const [first] = rows;
    if (first === undefined) throw new Error("nothing was derived");
    const { db } = lab.database;
    await db.deleteFrom("profile_days").where("day", "<", SUMMED_UNTIL).execute();
    expect(await read(lab)).toEqual(rows);
    expect(await read(lab, everything, [first.agent_id])).toEqual(
      rows.filter(row => row.agent_id === first.agent_id),
    );
    // A week of which a part is outside of the window is not.
    const within = { from: FIRST_WEEK + 1, to: FIRST_WEEK + 2 * WEEK_MS - DAY_MS };
    expect(await read(lab, within)).toEqual([]);
  });

  it("are verified: one that is not the sum of its days is reported", async () => {
    const lab = await open(engine);
    await follow(lab, everyDay);
    const { db } = lab.database;
    expect(await verifyProfile(lab.database)).toEqual([]);
    const some = db.selectFrom("profile_weeks").selectAll().where("week", "=", FIRST_WEEK);
    const count = (await some.execute()).length;
    await db.updateTable("profile_weeks").set({ o18: 9 }).where("week", "=", FIRST_WEEK).execute();
    expect(await verifyProfile(lab.database)).toHaveLength(count);
    await db.deleteFrom("profile_weeks").where("week", "=", FIRST_WEEK).execute();
    const found = await verifyProfile(lab.database);
    expect(found).toHaveLength(count);
    expect(found[0]).toContain("is not the sum of its days");
  });

  it("are not read while an older control plane derives the profile without them, and made again afterwards", async () => {
    const lab = await open(engine);
    await follow(lab, everyDay);
    const { db } = lab.database;
    const before = await readPosition(db, WEEKS_CURSOR);
    // What it derives from a late call.
    await lab.ledger.append([settlement({ day: 3, agent: 1, model: 0 })]);
    await lab.follower.catchUp();
    await follower(lab).catchUp();
    const rows = await readDays(lab);
    await db.deleteFrom("profile_weeks").execute();
    await movePosition(db, WEEKS_CURSOR, before ?? LEDGER_START);
    expect(await read(lab)).toEqual(rows);
    expect(await verifyProfile(lab.database)).toEqual([]);

    await follow(lab, [{ day: 4, agent: 2, model: 1 }]);
    expect(await readSummedUntil(lab)).toBe(SUMMED_UNTIL);
    expect(await verifyProfile(lab.database)).toEqual([]);
    expect(await read(lab)).toEqual(await readDays(lab));
    expect(await read(lab)).not.toEqual(rows);
  });

  it("are made again after a repair, without those in which there are no calls now", async () => {
    const lab = await open(engine);
    await follow(lab, everyDay);
    const { db } = lab.database;
    await db.transaction().execute(async transaction => {
      await profileRepair.restart(transaction, engine, LEDGER_START);
      await movePosition(transaction, PROFILE_CURSOR, LEDGER_START);
    });
    expect(await read(lab)).toEqual([]);
    const other = await open(engine);
    // Another ledger, with calls in two of the weeks only.
    await other.ledger.append([
      settlement({ day: 1, agent: 1, model: 1 }),
      settlement({ day: 30, agent: 1, model: 1 }),
    ]);
    await other.follower.catchUp();
    await followProfile(lab.database, other.reader, {
      contextWindowOf: () => null,
      now: () => NOW,
    }).catchUp();
    expect(await readSummedUntil(lab)).toBe(FIRST_WEEK + 5 * WEEK_MS);
    const weeks = db.selectFrom("profile_weeks").select(["week", "calls"]);
    expect(await weeks.where("week", "<", FIRST_WEEK + 5 * WEEK_MS).execute()).toEqual([
      { week: FIRST_WEEK, calls: 1 },
      { week: FIRST_WEEK + 4 * WEEK_MS, calls: 1 },
    ]);
  });

  it("wait until a week has been over for a day, and until a backlog is derived", async () => {
    const lab = await open(engine);
    await lab.ledger.append(everyDay.map(settlement));
    await lab.follower.catchUp();
    const early = follower(lab, FIRST_WEEK + WEEK_MS + DAY_MS - 1);
    await early.catchUp();
    expect(await readSummedUntil(lab)).toBe(0);
    await follower(lab, FIRST_WEEK + WEEK_MS + DAY_MS).catchUp();
    expect(await readSummedUntil(lab)).toBe(FIRST_WEEK + WEEK_MS);
    await lab.ledger.append(Array.from({ length: 20 }, () => settlement({ day: 20, agent: 1, model: 1 })));
    await lab.follower.catchUp();
    const stop = new AbortController();
    const following = follower(lab).catchUp(stop.signal);
    stop.abort();
    await following;
    expect(await readSummedUntil(lab)).toBe(FIRST_WEEK + WEEK_MS);
  });
});
