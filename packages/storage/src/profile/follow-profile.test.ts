import { describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import type { Usage } from "@tollgate/core/money/usage";
import { DAY_MS } from "@tollgate/core/time/durations";
import fc from "fast-check";
import { sql } from "kysely";
import { engines } from "../../../../test/support/labs/control-databases.ts";
import { type ReadModelLab, readModelLab } from "../../../../test/support/labs/read-model-lab.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import type { Engine } from "../database/open-control-database.ts";
import { outputBound } from "../database/output-histogram.ts";
import { sumColumns } from "../database/profile-columns.ts";
import { createProfile } from "./control-profile.ts";
import { followProfile } from "./follow-profile.ts";
import type { AgentModelProfile } from "./profile-queries.ts";
import { profileRowColumns } from "./sum-profile.ts";
import { verifyProfile } from "./verify-profile.ts";

const open = readModelLab();
const scope = { orgId: "org", mode: "live" } as const;
const always = { from: 0, to: SAMPLE_DAY * 2 };
const MINUTE = 60_000;
const contextWindowOf = (_provider: string, model: string) => (model === "tiny" ? 10_000 : null);

type Draft = Partial<Event> & { readonly after?: number };

/** Consecutive events, each the given number of milliseconds after the previous one. */
async function append(lab: ReadModelLab, drafts: readonly Draft[]): Promise<void> {
  let at = SAMPLE_DAY;
  await lab.ledger.append(
    drafts.map(({ after = 1000, ...draft }, index) => {
      at += after;
      return sampleSettlement(`event ${index}`, {
        created_at: at,
        latency_ms: 0,
        request_hash: `request ${index}`,
        ...draft,
      });
    }),
  );
}

async function followed(lab: ReadModelLab, batch = 5): Promise<AgentModelProfile[]> {
  await lab.follower.catchUp();
  await followProfile(lab.database, lab.reader, { contextWindowOf, batchSize: batch }).catchUp();
  return createProfile(lab.database, lab.reader).agentModels(scope, always);
}

async function onlyRow(engine: Engine, drafts: readonly Draft[]): Promise<AgentModelProfile> {
  const lab = await open(engine);
  await append(lab, drafts);
  const [row, ...others] = await followed(lab);
  expect(others).toEqual([]);
  expect(await verifyProfile(lab.database)).toEqual([]);
  if (row === undefined) throw new Error("nothing was derived");
  return row;
}

const input = (tokens: number, more: Usage = {}): Pick<Event, "usage" | "input_tokens" | "output_tokens"> => {
  const usage = { input: tokens, output: 200, ...more };
  const cached = (usage.cache_read ?? 0) + (usage.cache_write ?? 0) + (usage.cache_write_1h ?? 0);
  return { usage, input_tokens: tokens + cached, output_tokens: usage.output };
};

describe.each(engines)("the agent profile on %s", engine => {
  it("sums tokens by their relation to a cache, and answers by length", async () => {
    const row = await onlyRow(engine, [
      { usage: { input: 700, cache_read: 300, output: 99 }, input_tokens: 1000, output_tokens: 99 },
      {
        usage: { input: 10, cache_write: 20, cache_write_1h: 30, output: 100 },
        input_tokens: 60,
        output_tokens: 100,
      },
      { status: "error", usage: {}, input_tokens: 0, output_tokens: 0, cost_microcents: microcents(0) },
    ]);
    expect(row).toMatchObject({
      agent_key: "default",
      provider: "openai",
      model: "gpt-4o-mini",
      first_day: SAMPLE_DAY - (SAMPLE_DAY % DAY_MS),
      active_days: 1,
      calls: 3,
      errors: 1,
      input_tokens: 1060,
      uncached_input_tokens: 710,
      cache_read_tokens: 300,
      cache_write_tokens: 20,
      cache_write_1h_tokens: 30,
      output_tokens: 199,
      short_calls: 1,
      short_uncached_input_tokens: 700,
      short_cache_read_tokens: 300,
      short_output_tokens: 99,
      max_input_tokens: 1000,
      max_output_tokens: 100,
    });
    expect(row.outputs.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(outputBound(row.outputs, 0.5)).toBe(100);
    expect(outputBound(row.outputs, 1)).toBe(128);
  });

  it("OPT-011 counts a request repeated within an hour of its answer, and no other", async () => {
    const row = await onlyRow(engine, [
      { request_hash: "a", ...input(500) },
      { request_hash: "a", ...input(500), after: 60 * MINUTE }, // an hour later: counted
      { request_hash: "a", ...input(500), after: 60 * MINUTE + 1 }, // too late
      { request_hash: "b", ...input(500), status: "error" },
      { request_hash: "b", ...input(500) }, // was not answered
      { request_hash: "a", ...input(500), agent_key: "default", mode: "live" }, // counted
    ]);
    expect(row).toMatchObject({ repeat_calls: 2, repeat_input_tokens: 1000 });
  });

  it("OPT-012 counts a request as a retry within a minute of the same request's failure", async () => {
    const failed = { status: "error", usage: {}, input_tokens: 0, output_tokens: 0 } as const;
    const row = await onlyRow(engine, [
      { request_hash: "a", ...failed, latency_ms: 5000 },
      { request_hash: "a", ...failed, after: 65_000 }, // a minute after it ended: a retry
      { request_hash: "a", after: 10_000 }, // a successful retry
      { request_hash: "b", ...failed },
      { request_hash: "b", after: MINUTE + 1 }, // too late
      { request_hash: "c", ...failed, latency_ms: 5000 },
      { request_hash: "c", after: 1000 }, // concurrent, not after it
    ]);
    expect(row).toMatchObject({ retry_calls: 2, errors: 4 });
  });

  it("OPT-011 counts uncached prompts that share a prefix with an earlier one, with what a cache of each lifetime would hold", async () => {
    const row = await onlyRow(engine, [
      { prefix_hash: "p", ...input(2000) },
      { prefix_hash: "p", ...input(3000), after: 4 * MINUTE }, // 2000 in common; the first is written for both lifetimes
      { prefix_hash: "p", ...input(1500), after: 10 * MINUTE }, // 1500; too late for five minutes
      { prefix_hash: "p", ...input(1600), after: 5 * MINUTE }, // 1500; starts a new five-minute entry
      { prefix_hash: "p", ...input(2500), after: 61 * MINUTE }, // too late for both
      { prefix_hash: "p", ...input(1023), after: MINUTE }, // too short for a cache
      { prefix_hash: "p", ...input(100, { cache_read: 2000 }), after: MINUTE }, // cached
      { prefix_hash: "p", ...input(2100), after: MINUTE }, // held by that cache: 2100 in common, nothing to write
      { prefix_hash: "q", ...input(5000) },
    ]);
    expect(row).toMatchObject({
      cacheable_calls: 4,
      cacheable_tokens: 2000 + 1500 + 1500 + 2100,
      cacheable_start_tokens: 2000,
      cacheable_5m_calls: 3,
      cacheable_5m_tokens: 2000 + 1500 + 2100,
      cacheable_5m_start_tokens: 2000 + 1500,
    });
  });

  it("REL-005 is verified against the facts: a sum that is off by one is reported", async () => {
    const lab = await open(engine);
    await append(lab, [{}, { agent_key: "other" }]);
    await followed(lab);
    expect(await verifyProfile(lab.database)).toEqual([]);
    const { db } = lab.database;
    await db.updateTable("profile_days").set({ calls: 2 }).where("agent", "=", 1).execute();
    expect(await verifyProfile(lab.database)).toHaveLength(1);
    await db.deleteFrom("profile_days").execute();
    expect(await verifyProfile(lab.database)).toHaveLength(2);
  });

  it("keeps agents, models and modes apart", async () => {
    const lab = await open(engine);
    await append(lab, [
      { request_hash: "a", prefix_hash: "p", ...input(2000), mode: "test" },
      { request_hash: "a", prefix_hash: "p", ...input(2000), agent_key: "other" },
      { request_hash: "b", prefix_hash: "p", ...input(2000), model: "gpt-4o" },
      { request_hash: "a", prefix_hash: "p", ...input(2000) },
    ]);
    const rows = await followed(lab);
    expect(
      rows.map(row => [row.agent_key, row.model, row.calls, row.repeat_calls, row.cacheable_calls]),
    ).toEqual([
      ["other", "gpt-4o-mini", 1, 0, 0],
      ["default", "gpt-4o-mini", 1, 0, 0],
      ["default", "gpt-4o", 1, 0, 0],
    ]);
    const profile = createProfile(lab.database, lab.reader);
    expect(await profile.agentModels({ orgId: "org", mode: "test" }, always)).toHaveLength(1);
    expect(await profile.agentModels({ orgId: "none", mode: "live" }, always)).toEqual([]);
    const other = rows[0]?.agent_id ?? "";
    expect((await profile.agentModels(scope, always, [other])).map(row => row.agent_id)).toEqual([other]);
    expect(await profile.agentModels({ orgId: "org", mode: "test" }, always, [other])).toEqual([]);
    expect(await profile.lag()).toBe(0);
  });

  it("sums a long history to the same result, without blocking other work", async () => {
    const lab = await open(engine);
    await append(lab, [{ ...input(100) }, { model: "gpt-4o", ...input(7) }]);
    const [first] = await followed(lab);
    const { db } = lab.database;
    // The same day repeated until there are 20,000 rows, which counts as long.
    const days = 10_000;
    await sql`
      INSERT INTO profile_days
      WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${sql.lit(days)})
      SELECT ${sql.join(profileRowColumns.map(name => (name === "day" ? sql`day - n * CAST(${sql.lit(DAY_MS)} AS BIGINT)` : sql.ref(name))))}
      FROM profile_days, copies WHERE true`.execute(db);
    let rows: readonly AgentModelProfile[] = [];
    // This thread may be paused for as long as one read takes.
    await eventually("other work runs during a read", async () => {
      const reading = createProfile(lab.database, lab.reader).agentModels(scope, { from: -1e15, to: 1e15 });
      const isOver = reading.then(() => true);
      let turns = 0;
      while (!(await Promise.race([isOver, Bun.sleep(1).then(() => false)]))) turns++;
      rows = await reading;
      return turns > 0;
    });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual({
      ...(first as AgentModelProfile),
      ...Object.fromEntries(sumColumns.map(column => [column, (first?.[column] ?? 0) * (days + 1)])),
      first_day: (first?.first_day ?? 0) - days * DAY_MS,
      active_days: days + 1,
      outputs: first?.outputs.map(calls => calls * (days + 1)) ?? [],
    });
  });

  it("OPT-013 counts prompts over 60 % of the window, and sessions that outgrow their first call", async () => {
    const row = await onlyRow(engine, [
      { model: "tiny", ...input(6000) }, // exactly at the threshold
      { model: "tiny", ...input(6001) },
      { model: "tiny", ...input(1000, { cache_read: 8000 }) }, // 3000 beyond the threshold, 1000 of them at full price
      { model: "tiny", session_id: "s", status: "error", usage: {}, input_tokens: 0, output_tokens: 0 },
      { model: "tiny", session_id: "s", ...input(1000) }, // the session's first prompt
      { model: "tiny", session_id: "s", ...input(2999) },
      { model: "tiny", session_id: "s", ...input(3000) }, // three times as long, and 2000 more
      { model: "tiny", session_id: "t", ...input(900) },
      { model: "tiny", session_id: "t", ...input(2899) }, // three times as long, but only 1999 more
    ]);
    expect(row).toMatchObject({
      oversized_calls: 2,
      oversized_tokens: 1 + 1000,
      sessions: 2,
      session_first_tokens: 1900,
      session_later_calls: 3,
      grown_calls: 1,
      grown_tokens: 2000,
    });
  });
});

/** Traffic with frequent occurrences of everything that the memory tracks. */
const someTraffic = fc.array(
  fc.record({
    after: fc.constantFrom(0, 1000, 59_000, 4 * MINUTE, 20 * MINUTE, 50 * MINUTE),
    agent_key: fc.constantFrom("one", "two"),
    request_hash: fc.constantFrom("a", "b", "c", null),
    prefix_hash: fc.constantFrom("p", "q", null),
    session_id: fc.constantFrom(null, "s", "t"),
    status: fc.constantFrom("success" as const, "success" as const, "error" as const, "cancelled" as const),
    tokens: fc.constantFrom(500, 1500, 6000),
    cache_read: fc.constantFrom(0, 0, 0, 1000),
  }),
  { minLength: 1, maxLength: 60 },
);

describe.each(engines)("a profile follower that is stopped on %s", engine => {
  it("REL-007 rolls back a batch that failed halfway, and derives it once when writes succeed again", async () => {
    const lab = await open(engine);
    const { db } = lab.database;
    const repeated = Array.from({ length: 20 }, () => ({
      request_hash: "a",
      prefix_hash: "p",
      session_id: "s",
      ...input(2000),
    }));
    await append(lab, repeated);
    await lab.follower.catchUp();
    const follower = followProfile(lab.database, lab.reader, { contextWindowOf, batchSize: 8 });
    const breakIt = {
      sqlite: sql`CREATE TRIGGER broken BEFORE INSERT ON profile_days BEGIN SELECT RAISE(ABORT, 'broken'); END`,
      postgres: sql`ALTER TABLE profile_days ADD CONSTRAINT broken CHECK (calls < 0) NOT VALID`,
    };
    const mendIt = {
      sqlite: sql`DROP TRIGGER broken`,
      postgres: sql`ALTER TABLE profile_days DROP CONSTRAINT broken`,
    };
    await breakIt[engine].execute(db);
    await expect(follower.catchUp()).rejects.toThrow("broken");
    expect(await db.selectFrom("profile_sessions").selectAll().execute()).toEqual([]);
    await mendIt[engine].execute(db);
    expect(await follower.catchUp()).toBe(20);
    expect(await follower.catchUp()).toBe(0);
    const rows = await createProfile(lab.database, lab.reader).agentModels(scope, always);
    expect(rows).toMatchObject([{ calls: 20, sessions: 1, repeat_calls: 19, cacheable_calls: 19 }]);
    expect(rows).toMatchObject([{ cacheable_start_tokens: 2000, session_later_calls: 19 }]);
  });

  it("REL-007 remembers the prompts of events that another process has derived before this one saw them", async () => {
    const lab = await open(engine);
    const repeated = { request_hash: "repeated" };
    const report = async (id: string, more: Partial<Event>) => {
      await lab.ledger.append([sampleSettlement(id, { created_at: SAMPLE_DAY, latency_ms: 0, ...more })]);
      await lab.follower.catchUp();
    };
    await report("first", { request_hash: "another" });
    const known = lab.reader.newestPosition();
    let isBehind = true;
    // A copy of the ledger that is behind: only the cursor tells that there are more events.
    const behind = new Proxy(lab.reader, {
      get(reader, name) {
        if (isBehind && name === "newestPosition") return () => known;
        if (isBehind && name === "newestSeq") return () => known.seq;
        const value: unknown = Reflect.get(reader, name, reader);
        return typeof value === "function" ? value.bind(reader) : value;
      },
    });
    const late = followProfile(lab.database, behind, { contextWindowOf });
    await late.catchUp();
    await report("second", repeated);
    await followProfile(lab.database, lab.reader, { contextWindowOf }).catchUp();
    await late.catchUp();
    isBehind = false;
    await report("third", { ...repeated, created_at: SAMPLE_DAY + 1000 });
    await late.catchUp();
    const rows = await createProfile(lab.database, lab.reader).agentModels(scope, always);
    expect(rows).toMatchObject([{ calls: 3, repeat_calls: 1 }]);
  });

  it("REL-007 gives the same result with a restart between any two batches, and counts every call once", async () => {
    await fc.assert(
      fc.asyncProperty(someTraffic, fc.integer({ min: 1, max: 9 }), async (traffic, batch) => {
        const drafts = traffic.map(({ tokens, cache_read, ...draft }) => ({
          ...draft,
          ...input(tokens, cache_read > 0 ? { cache_read } : {}),
        }));
        const [straight, broken] = [await open(engine), await open(engine)];
        const options = { contextWindowOf, reach: 6 };
        const rows = [];
        for (const lab of [straight, broken]) {
          await append(lab, drafts);
          await lab.follower.catchUp();
        }
        await followProfile(straight.database, straight.reader, options).catchUp();
        // Each follower sees some events, dies, and is replaced by another; the last one runs alone.
        for (let cursor = 0; cursor < drafts.length; ) {
          const stop = new AbortController();
          const follower = followProfile(broken.database, broken.reader, { ...options, batchSize: batch });
          const following = follower.catchUp(stop.signal);
          stop.abort();
          cursor += await following;
        }
        for (const lab of [straight, broken]) {
          expect(await verifyProfile(lab.database)).toEqual([]);
          const days = lab.database.db.selectFrom("profile_days").selectAll();
          rows.push(await days.orderBy("day").orderBy("agent").orderBy("model").execute());
        }
        expect(rows[1]).toEqual(rows[0] ?? []);
      }),
      { numRuns: engine === "sqlite" ? 20 : 3 },
    );
  });
});
