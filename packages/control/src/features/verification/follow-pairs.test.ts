import { describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { conclude } from "@tollgate/core/verification/conclude";
import { builtInPolicies, planTrial } from "@tollgate/core/verification/trial-plan";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { CANDIDATE, PRODUCTION, pairEvents } from "../../../../../test/support/labs/pair-events.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { organizationRow } from "../../../../../test/support/rows/organization-row.ts";
import { sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { followPairs, PAIRS_CURSOR, pairRepair } from "./follow-pairs.ts";
import { hashTrialPlan } from "./hash-trial-plan.ts";
import { readPairs, toTrialRow } from "./pair-row.ts";
import { readProgress } from "./progress.ts";
import { readPlan, registerTrial } from "./register-trial.ts";
import type { RequestRow } from "./request-row.ts";
import { resultOf } from "./verdict-result.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const REQUEST = "a request";
const NOW = Date.parse("2026-11-15T12:00:00Z");
let made = 0;

describe.each([...engines])("the pairs of verifications on %s", engine => {
  it("LOOP-022 are counted once each, in order, across restarts, faults and two concurrent followers, and end in one verdict and one charge", async () => {
    const { database, follow, append, close } = await open();
    await begin(database);
    const events = pairEvents({ requestId: REQUEST, count: 300, isJudged: true });
    for (const [from, to] of [
      [0, 3],
      [3, 101],
    ] as const) {
      await append(events.slice(from, to));
      await append([{ agent_key: "somebody else" }]);
      // A new follower each time: all it knows is in the database. Two at once share the work.
      await Promise.all([follow(), follow()].flatMap(follower => [follower.catchUp(), follower.catchUp()]));
    }
    const before = await snapshot(database);
    await append(events.slice(101));
    // The charge comes last, so nothing of the batch may remain without it.
    await rename(database, "verification_charges", "charges_elsewhere");
    await expect(follow().catchUp()).rejects.toThrow();
    await rename(database, "charges_elsewhere", "verification_charges");
    expect(await snapshot(database)).toEqual(before);
    await Promise.all([follow().catchUp(), follow().catchUp()]);
    await follow().catchUp();

    const { db } = database;
    const [request] = await db.selectFrom("verification_requests").selectAll().execute();
    const [trial] = await db.selectFrom("verification_trials").selectAll().execute();
    const overall = await db
      .selectFrom("verdicts")
      .selectAll()
      .where("task_category", "is", null)
      .executeTakeFirstOrThrow();
    expect(await db.selectFrom("verification_charges").selectAll().execute()).toEqual([
      { request_id: REQUEST, org_id: "org", mode: "live", created_at: NOW },
    ]);
    expect([request?.status, request?.end_reason, request?.verdict_id]).toEqual([
      "concluded",
      "verdict",
      overall.id,
    ]);
    expect([trial?.status, trial?.verdict_id]).toEqual(["concluded", overall.id]);
    expect(overall.verdict).toBe("holds");
    const positions = await db
      .selectFrom("verification_pairs")
      .select(["position", "is_counted"])
      .orderBy("position")
      .execute();
    expect(positions.map(({ position }) => position)).toEqual(positions.map((_, index) => index + 1));
    expect(positions).toHaveLength(300);

    // The verdict can be recomputed from the rows alone.
    const pairs = await readPairs(db, REQUEST);
    const recomputed = conclude(await readPlan(db, REQUEST), pairs.map(toTrialRow), {
      nowMs: overall.concluded_at,
      isOver: false,
      monthlyCalls: null,
    });
    if (recomputed.status !== "concluded") throw new Error(`it is ${recomputed.status}`);
    expect(JSON.parse(overall.result)).toEqual(
      resultOf(recomputed.verdict, pairs.at(-1)?.created_at ?? null),
    );
    const counted = positions.filter(({ is_counted }) => is_counted === 1).length;
    expect(counted).toBe(recomputed.verdict.score.pairs);
    expect(counted).toBeLessThan(300);
    close();
  });

  it("LOOP-030 are put together from events that come one by one, and every event's cost is in the spend", async () => {
    const { database, follow, append, close } = await open();
    await begin(database);
    // The first pair is never graded.
    const events = [
      ...pairEvents({ requestId: REQUEST, count: 1, isJudged: true }).slice(0, 3),
      ...pairEvents({ requestId: REQUEST, count: 2, isJudged: true }),
    ];
    const settled: Event[] = [];
    for (const event of events) {
      settled.push(...(await append([event])));
      await follow().catchUp();
    }
    const own = settled.filter(({ pair }) => pair !== null);
    const progress = await readProgress(database.db, REQUEST);
    expect(progress.spentMicrocents).toBe(own.reduce((sum, { cost_microcents }) => sum + cost_microcents, 0));
    expect([progress.pairs, progress.controls]).toEqual([2, 0]);
    const [first] = await readPairs(database.db, REQUEST);
    const ofPair = own.filter(({ pair }) => pair?.pair_id === first?.pair_id);
    const [second, ...judged] = ofPair;
    expect(first?.judge_microcents).toBe(judged.reduce((sum, event) => sum + event.cost_microcents, 0));
    expect(first?.candidate.cost_microcents).toBe(second?.cost_microcents ?? -1);
    expect(first?.candidate.served_model).toBe("gpt-4.1-nano-2025-04-14");
    expect(first?.prod.served_model).toBe("gpt-4o-mini-2024-07-18");
    close();
  });

  it("MON-021 count their calls of unknown cost beside the spend; an earlier version did not, so its number is unknown", async () => {
    const { database, follow, append, close } = await open();
    await begin(database);
    const events = pairEvents({ requestId: REQUEST, count: 2, isJudged: true }).map(event =>
      event.source === "judge"
        ? { ...event, cost_basis: "unpriced" as const, cost_microcents: microcents(0) }
        : event,
    );
    await append(events);
    await follow().catchUp();
    const { state } = await readProgress(database.db, REQUEST);
    expect(state.unpriced_calls).toBe(events.filter(({ source }) => source === "judge").length);
    expect(state.unpriced_calls).toBeGreaterThan(0);

    const { unpriced_calls: _, ...earlier } = state;
    await database.db
      .updateTable("verification_progress")
      .set({ state: JSON.stringify(earlier) })
      .execute();
    await append(pairEvents({ requestId: REQUEST, count: 1, isJudged: true }));
    await follow().catchUp();
    expect((await readProgress(database.db, REQUEST)).state.unpriced_calls).toBeNull();
    close();
  });

  it("count for nothing after the end, but their cost is still added", async () => {
    const { database, follow, append, close } = await open();
    await begin(database);
    await append(pairEvents({ requestId: REQUEST, count: 10 }));
    await follow().catchUp();
    const before = await readProgress(database.db, REQUEST);
    await database.db
      .updateTable("verification_requests")
      .set({ status: "voided", end_reason: "cancelled", ended_at: NOW })
      .execute();
    await append(pairEvents({ requestId: REQUEST, count: 400 }));
    await follow().catchUp();
    const after = await readProgress(database.db, REQUEST);
    expect(after.pairs).toBe(10);
    expect(after.spentMicrocents).toBeGreaterThan(before.spentMicrocents);
    expect(await database.db.selectFrom("verdicts").select("id").execute()).toEqual([]);
    expect(await database.db.selectFrom("verification_charges").selectAll().execute()).toEqual([]);
    close();
  });

  it("of another organization, or of an unknown request, are ignored", async () => {
    const { database, follow, append, close } = await open();
    await begin(database);
    const [production, shadow] = pairEvents({ requestId: REQUEST, count: 1 });
    await append([{ ...production }, { ...shadow, org_id: "theirs" }]);
    await append(pairEvents({ requestId: "unknown", count: 3 }));
    await follow().catchUp();
    expect((await snapshot(database)).pairs).toEqual([]);
    expect((await readProgress(database.db, REQUEST)).spentMicrocents).toBe(0);
    close();
  });

  it.each([
    [
      "LOOP-029 served_model_changed",
      () => [
        ...pairEvents({ requestId: REQUEST, count: 20 }),
        ...pairEvents({ requestId: REQUEST, count: 1, servedCandidate: "gpt-4.1-nano-2026-01-01" }),
      ],
    ],
    ["judge_noise", () => pairEvents({ requestId: REQUEST, count: 400, kind: "control", score: () => 1 })],
  ] as const)("void a trial whose evidence is worthless, without a charge: %s", async (title, events) => {
    const { database, follow, append, close } = await open();
    await begin(database);
    await append(events());
    await append(pairEvents({ requestId: REQUEST, count: 400 }));
    await follow().catchUp();
    const reason = title.split(" ").at(-1) ?? "";
    const { requests, trials, charges, verdicts } = await snapshot(database);
    expect(requests).toMatchObject([{ status: "voided", end_reason: reason, verdict_id: null }]);
    expect(trials).toMatchObject([{ status: "voided", void_reason: reason, verdict_id: null }]);
    expect([verdicts, charges]).toEqual([[], []]);
    close();
  });

  it("LOOP-029 end without a verdict if the agent was switched in the meantime", async () => {
    const { database, follow, append, close } = await open();
    await begin(database);
    await append(pairEvents({ requestId: REQUEST, count: 400 }));
    await database.db
      .insertInto("optimizations")
      .values({
        id: "a switch",
        org_id: "org",
        mode: "live",
        agent_id: "agent",
        agent_key: "writer",
        optimization_type: "model_switch",
        payload: JSON.stringify({ model: CANDIDATE }),
        source: "suggestion",
        applied_by: "somebody",
        applied_at: NOW,
        undone_at: null,
      })
      .execute();
    await follow().catchUp();
    const { requests, charges } = await snapshot(database);
    expect(requests).toMatchObject([{ status: "voided", end_reason: "switched_meanwhile" }]);
    expect(charges).toEqual([]);
    close();
  });

  it("are counted anew for open requests after the ledger lost events; a verdict and its charge stay", async () => {
    const { database, follow, append, close } = await open();
    await begin(database);
    await append(pairEvents({ requestId: REQUEST, count: 300 }));
    await follow().catchUp();
    const ended = await snapshot(database);
    await begin(database, "another");
    await append(pairEvents({ requestId: "another", count: 20 }));
    await follow().catchUp();
    const counted = await readProgress(database.db, "another");
    const position = await pairRepair.restart(database.db, engine, { seq: 0, eventId: null });
    expect(position.seq).toBe(0);
    expect((await readProgress(database.db, "another")).pairs).toBe(0);
    await database.db
      .updateTable("cursors")
      .set({ position: 0, event_id: null })
      .where("reader", "=", PAIRS_CURSOR)
      .execute();
    await follow().catchUp();
    expect(await readProgress(database.db, "another")).toEqual(counted);
    const after = await snapshot(database);
    expect(after.charges).toEqual(ended.charges);
    expect(after.verdicts).toEqual(ended.verdicts);
    expect(after.progress.find(row => row.request_id === REQUEST)).toEqual(ended.progress[0]);
    close();
  });

  async function open() {
    const database = await databases.open(engine);
    const path = inFolder(`ledger-${++made}.db`);
    const ledger = new Ledger(path, "normal");
    const reader = new LedgerReader(path);
    const parts = { catalogue: createCatalogue(), newId: () => crypto.randomUUID(), now: () => NOW };
    return {
      database,
      follow: () => followPairs(database, reader, parts),
      async append(changes: readonly Partial<Event>[]): Promise<Event[]> {
        const settlements = changes.map(change => sampleSettlement(crypto.randomUUID(), change));
        await ledger.append(settlements);
        return settlements.map(({ event }) => event);
      },
      close() {
        reader.close();
        ledger.close();
      },
    };
  }
});

async function begin({ db }: ControlDatabase, id = REQUEST): Promise<void> {
  await db
    .insertInto("organizations")
    .values(organizationRow())
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const [policy] = builtInPolicies;
  const request: RequestRow = {
    id,
    org_id: "org",
    mode: "live",
    agent_id: "agent",
    agent_key: "writer",
    prod_provider: "openai",
    prod_model: PRODUCTION,
    candidate_provider: "openai",
    candidate_model: CANDIDATE,
    judge_provider: "openai",
    judge_model: "gpt-5.5",
    policy_id: "policy",
    evidence_mode: "shadow",
    share_pct: 50,
    max_pairs: policy.max_pairs,
    max_spend_microcents: microcents(policy.max_spend_microcents),
    seed: "1",
    status: "collecting",
    trial_id: `trial of ${id}`,
    verdict_id: null,
    end_reason: null,
    created_by: "somebody",
    created_at: NOW - 1000,
    expires_at: NOW + 86_400_000,
    ended_at: null,
  };
  await db.insertInto("verification_requests").values(request).execute();
  const plan = planTrial(
    {
      agent_id: "agent",
      prod_provider: "openai",
      prod_model: PRODUCTION,
      candidate_provider: "openai",
      candidate_model: CANDIDATE,
    },
    policy,
    "openai/gpt-5.5",
    "1",
  );
  await registerTrial(db, request, plan);
  expect(hashTrialPlan(await readPlan(db, id))).toBe(hashTrialPlan(plan));
}

async function rename({ db }: ControlDatabase, from: string, to: string): Promise<void> {
  await sql`ALTER TABLE ${sql.table(from)} RENAME TO ${sql.table(to)}`.execute(db);
}

/** Every row of verifications, and how far the ledger was read. */
async function snapshot({ db }: ControlDatabase) {
  return {
    requests: await db.selectFrom("verification_requests").selectAll().orderBy("id").execute(),
    trials: await db.selectFrom("verification_trials").selectAll().orderBy("id").execute(),
    progress: await db.selectFrom("verification_progress").selectAll().orderBy("request_id").execute(),
    pairs: await db
      .selectFrom("verification_pairs")
      .selectAll()
      .orderBy("request_id")
      .orderBy("position")
      .execute(),
    verdicts: await db.selectFrom("verdicts").selectAll().orderBy("id").execute(),
    charges: await db.selectFrom("verification_charges").selectAll().execute(),
    cursor: await db.selectFrom("cursors").selectAll().where("reader", "=", PAIRS_CURSOR).execute(),
  };
}
