import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import {
  followReadModel,
  type ReadModelFollower,
} from "@tollgate/storage/read-model/deriving/follow-read-model";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { organizationRow } from "../../../../../test/support/rows/organization-row.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { putInForce } from "../actuations/put-in-force.ts";
import { followExperiments } from "../experiments/follow-experiments.ts";
import { followSwitches } from "./follow-switches.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const SWITCHED_AT = SAMPLE_DAY;

const OLD: Partial<Event> = { model: "gpt-4o", requested_model: "gpt-4o", latency_ms: 1000 };
const NEW: Partial<Event> = { ...OLD, model: "gpt-4.1-nano" };
const FAILED: Partial<Event> = { ...NEW, status: "error" };

for (const engine of engines) {
  describe(`the breaker on ${engine}`, () => {
    let database: ControlDatabase;
    let ledger: Ledger;
    let reader: LedgerReader;
    let readModel: ReadModelFollower;
    let now = SWITCHED_AT;
    let agents = 0;
    const logged: string[] = [];
    const woken: unknown[] = [];

    beforeAll(async () => {
      database = await databases.open(engine);
      const path = inFolder(`ledger-${engine}.db`);
      ledger = new Ledger(path, "normal");
      reader = new LedgerReader(path);
      readModel = followReadModel(database, reader);
      await database.db.insertInto("organizations").values(organizationRow()).execute();
    });
    afterAll(() => {
      reader.close();
      ledger.close();
    });

    const control = () => ({
      db: database.db,
      engine,
      now: () => now,
      newId: () => Bun.randomUUIDv7(),
      wakeSender: (receivers?: Iterable<string>) => void woken.push(receivers),
      experiments: followExperiments(database, reader),
    });
    /** A new one each time: its whole state is in the database. */
    const breaker = () =>
      followSwitches({
        database,
        ledger: reader,
        readModel,
        control: control(),
        log: (_level, message) => void logged.push(message),
      });

    async function append(count: number, at: number, change: (call: number) => Partial<Event>) {
      const settlements = Array.from({ length: count }, (_, call) =>
        sampleSettlement(crypto.randomUUID(), { created_at: at + call, ...change(call) }),
      );
      const keys = [...new Set(settlements.map(({ event }) => event.agent_key))];
      await ledger.append(
        settlements,
        keys.map(key => ({
          id: `id of ${key}`,
          org_id: "org",
          mode: "live" as const,
          agent_key: key,
          first_seen_at: at,
        })),
      );
      await readModel.catchUp();
    }

    /** An agent with calls of the old model in the week before, which was then switched. */
    async function switched(before: (call: number) => Partial<Event> = () => OLD, appliedAt = SWITCHED_AT) {
      const agent_key = `agent ${agents++}`;
      await breaker().catchUp();
      await append(300, appliedAt - 3 * DAY_MS, call => ({ agent_key, ...before(call) }));
      const id = crypto.randomUUID();
      now = appliedAt;
      await database.db.transaction().execute(transaction =>
        putInForce(
          transaction,
          control(),
          {
            id,
            org_id: "org",
            mode: "live",
            agent_id: `id of ${agent_key}`,
            agent_key,
            optimization_type: "model_switch",
            payload: JSON.stringify({ model: "gpt-4.1-nano" }),
            source: "suggestion",
            applied_by: "test",
            applied_at: appliedAt,
            undone_at: null,
          },
          { authority: "operator", actor: "test" },
        ),
      );
      now = appliedAt + HOUR_MS;
      return { id, agent_key };
    }

    const undoneAt = async (id: string) =>
      (
        await database.db
          .selectFrom("optimizations")
          .select("undone_at")
          .where("id", "=", id)
          .executeTakeFirstOrThrow()
      ).undone_at;
    const actuationsOf = (id: string) =>
      database.db
        .selectFrom("actuations")
        .selectAll()
        .where("subject_id", "=", id)
        .orderBy("applied_at")
        .orderBy("id")
        .execute();
    const alertsOf = (id: string) =>
      database.db.selectFrom("alerts").selectAll().where("rule_key", "=", `breaker:${id}`).execute();
    const watchOf = (id: string) =>
      database.db
        .selectFrom("switch_watches")
        .select("calls")
        .where("optimization_id", "=", id)
        .executeTakeFirst();

    it("LOOP-034 undoes a switch once: after a fault in the middle, a restart, and with two of them at once", async () => {
      const { id, agent_key } = await switched();
      await append(60, SWITCHED_AT + 1000, () => ({ agent_key, ...FAILED }));
      await breaker().catchUp();
      expect(await undoneAt(id)).toBeNull();
      await append(60, SWITCHED_AT + 2000, () => ({ agent_key, ...FAILED }));
      // The last write fails, so nothing of it may remain.
      await rename("deliveries", "deliveries_away");
      await rename("webhooks", "webhooks_away");
      logged.length = 0;
      await breaker().catchUp();
      await rename("webhooks_away", "webhooks");
      await rename("deliveries_away", "deliveries");
      expect(new Set(logged)).toEqual(new Set(["could not check a model switch; retrying"]));
      expect([await undoneAt(id), await alertsOf(id)]).toEqual([null, []]);
      expect(await actuationsOf(id)).toHaveLength(1);

      woken.length = 0;
      await Promise.all([breaker(), breaker()].flatMap(one => [one.catchUp(), one.catchUp()]));
      expect(woken).toHaveLength(1);
      expect(await undoneAt(id)).toBe(now);
      expect(await actuationsOf(id)).toMatchObject([
        { change: "apply", rolled_back_at: now, rollback_reason: "error_rate", rolled_back_by: "breaker" },
        { change: "undo", authority: "breaker", actor: "breaker", acknowledged_at: null },
      ]);
      const alerts = await alertsOf(id);
      expect(alerts).toMatchObject([{ type: "error_rate", severity: "critical", resolved_at: null }]);
      expect(JSON.parse(alerts[0]?.metadata ?? "")).toMatchObject({
        kind: "breaker",
        reason: "error_rate",
        optimization_id: id,
        share_before_pct: 0,
        share_after_pct: 100,
        samples_before: 300,
        samples_after: 120,
      });
      await breaker().catchUp();
      expect(await watchOf(id)).toBeUndefined();
      expect(await alertsOf(id)).toHaveLength(1);
    });

    it("LOOP-034 counts each call once, across restarts and two concurrent followers", async () => {
      const { id, agent_key } = await switched();
      for (const [at, count] of [70, 3, 1200].entries()) {
        await append(count, SWITCHED_AT + 1000 + at * 5000, call => ({
          agent_key,
          ...NEW,
          session_id: `session ${call % 40}`,
        }));
        await Promise.all([breaker(), breaker()].map(one => one.catchUp()));
      }
      expect(await watchOf(id)).toEqual({ calls: 1273 });
      const sessions = await database.db
        .selectFrom("switch_watch_sessions")
        .select(({ fn }) => [fn.countAll<number>().as("sessions"), fn.sum<number>("calls").as("calls")])
        .where("optimization_id", "=", id)
        .executeTakeFirstOrThrow();
      expect([Number(sessions.sessions), Number(sessions.calls)]).toEqual([40, 1273]);
      expect(await undoneAt(id)).toBeNull();
    });

    it.each([
      ["a good model", () => NEW],
      ["too few calls of it", (call: number) => (call < 99 ? FAILED : OLD)],
      // Made before every gateway knew of the switch.
      ["calls that the old model failed", () => ({ ...OLD, status: "error" as const })],
      ["calls that asked for the new model", () => ({ ...FAILED, requested_model: "openai/gpt-4.1-nano" })],
      ["calls of an experiment's treatment", () => ({ ...FAILED, arm: "treatment" as const })],
      ["calls that did not pass the gateway", () => ({ ...FAILED, source: "ingest" as Event["source"] })],
      ["calls before the switch", () => ({ ...FAILED, created_at: SWITCHED_AT - 1 })],
      ["calls of another agent", () => ({ ...FAILED, agent_key: "somebody else" })],
      ["test calls", () => ({ ...FAILED, mode: "test" as const })],
    ] as const)("LOOP-034 leaves a switch alone after %s", async (_, after) => {
      const { id, agent_key } = await switched();
      await append(150, SWITCHED_AT + 1000, call => ({ agent_key, ...after(call) }));
      await breaker().catchUp();
      expect(await undoneAt(id)).toBeNull();
    });

    it("LOOP-034 leaves a switch alone while the agent's breaker is off, and watches it once it is on", async () => {
      const { id, agent_key } = await switched();
      const settings = { agent_id: `id of ${agent_key}`, org_id: "org", mode: "live" as const, agent_key };
      const others = { name: null, metadata: "{}", archived_at: null, paused_at: null, updated_at: 0 };
      await database.db
        .insertInto("agent_settings")
        .values({ ...settings, ...others, breaker_off: 1 })
        .execute();
      await append(150, SWITCHED_AT + 1000, () => ({ agent_key, ...FAILED }));
      await breaker().catchUp();
      expect([await undoneAt(id), await watchOf(id)]).toEqual([null, undefined]);
      await database.db.updateTable("agent_settings").set({ breaker_off: 0 }).execute();
      await append(150, SWITCHED_AT + 2000, () => ({ agent_key, ...FAILED }));
      await breaker().catchUp();
      expect(await undoneAt(id)).toBe(now);
    });

    it("LOOP-034 watches for 24 hours, and without a recent switch it reads no event", async () => {
      const { id, agent_key } = await switched();
      await append(150, SWITCHED_AT + 1000, () => ({ agent_key, ...NEW }));
      await breaker().catchUp();
      expect(await watchOf(id)).toEqual({ calls: 150 });
      now = SWITCHED_AT + DAY_MS;
      const follower = breaker();
      await follower.catchUp();
      expect(await watchOf(id)).toBeUndefined();
      await append(150, now, () => ({ agent_key, ...FAILED }));
      await follower.catchUp();
      expect([await undoneAt(id), await watchOf(id)]).toEqual([null, undefined]);
      expect(follower.lag).toBe(0);
    });

    it("LOOP-034 undoes a switch that makes calls slower", async () => {
      const { id, agent_key } = await switched();
      await append(150, SWITCHED_AT + 1000, () => ({ agent_key, ...NEW, latency_ms: 2000 }));
      await breaker().catchUp();
      expect(await actuationsOf(id)).toMatchObject([{ rollback_reason: "latency" }, { change: "undo" }]);
    });

    it("LOOP-034 undoes a switch after which more outcomes fail, of sessions that began with the new model", async () => {
      const session = (agent: string, call: number) => `${agent} session ${call}`;
      const { id, agent_key } = await switched(call => ({
        ...OLD,
        session_id: session(`agent ${agents - 1}`, call),
      }));
      const confirm = (sessions: readonly string[], success: 0 | 1, at: number) =>
        database.db
          .insertInto("outcomes")
          .values(
            sessions.map(session_id => ({
              id: crypto.randomUUID(),
              org_id: "org",
              mode: "live" as const,
              name: "resolved",
              session_id,
              agent_id: null,
              event_id: null,
              outcome_type: null,
              source: "api" as const,
              success,
              value_cents: null,
              notes: null,
              metadata: "{}",
              confirmed_by: null,
              confirmed_at: null,
              created_at: at,
            })),
          )
          .execute();
      const names = (kind: string, count: number) =>
        Array.from({ length: count }, (_, call) => session(kind, call));
      await confirm(names(agent_key, 300), 1, SWITCHED_AT - 3 * DAY_MS + HOUR_MS);
      // Of sessions that the old model began.
      await append(150, SWITCHED_AT + 1000, call => ({
        agent_key,
        ...NEW,
        session_id: session(agent_key, call),
      }));
      await confirm(names(agent_key, 150), 0, SWITCHED_AT + 2000);
      await breaker().catchUp();
      expect(await undoneAt(id)).toBeNull();
      const begun = `${agent_key} new`;
      await append(150, SWITCHED_AT + 3000, call => ({
        agent_key,
        ...NEW,
        session_id: session(begun, call),
      }));
      await breaker().catchUp();
      expect(await undoneAt(id)).toBeNull();
      // No call comes after them.
      await confirm(names(begun, 150), 0, SWITCHED_AT + 4000);
      await breaker().catchUp();
      expect(await actuationsOf(id)).toMatchObject([{ rollback_reason: "outcomes" }, { change: "undo" }]);
    });

    it("LOOP-034 stops an experiment whose control is the switch that is undone, and the verdict on it no longer counts", async () => {
      const { id, agent_key } = await switched();
      const experiment = crypto.randomUUID();
      const scope = { org_id: "org", mode: "live" as const, agent_id: `id of ${agent_key}`, agent_key };
      await database.db
        .insertInto("experiments")
        .values({
          ...scope,
          id: experiment,
          name: "another model",
          control_model: "gpt-4.1-nano",
          treatment_model: "gpt-4o-mini",
          traffic_pct: 10,
          primary_metric: "cost_per_call",
          max_duration_days: 14,
          auto_promote: 1,
          status: "running",
          created_at: now,
          ends_at: now + DAY_MS,
          ended_at: null,
          end_reason: null,
          winner: null,
          results: null,
          updated_at: now,
        })
        .execute();
      await database.db
        .insertInto("verdicts")
        .values({
          ...scope,
          id: `verdict of ${id}`,
          request_id: "request",
          trial_id: "trial",
          prod_model: "gpt-4o",
          candidate_model: "gpt-4.1-nano",
          task_category: null,
          verdict: "holds",
          evidence_mode: "shadow",
          result: "{}",
          judge_model: null,
          concluded_at: 0,
          expires_at: now + DAY_MS,
          invalidated_at: null,
          invalid_reason: null,
        })
        .execute();
      await append(150, SWITCHED_AT + 1000, () => ({ agent_key, ...FAILED }));
      await breaker().catchUp();
      expect(await undoneAt(id)).toBe(now);
      expect(await actuationsOf(experiment)).toMatchObject([{ change: "stop", authority: "breaker" }]);
      const verdict = await database.db
        .selectFrom("verdicts")
        .select(["invalidated_at", "invalid_reason"])
        .where("id", "=", `verdict of ${id}`)
        .executeTakeFirst();
      expect(verdict).toEqual({ invalidated_at: now, invalid_reason: "breaker" });
    });

    async function rename(from: string, to: string): Promise<void> {
      await sql`ALTER TABLE ${sql.table(from)} RENAME TO ${sql.table(to)}`.execute(database.db);
    }
  });
}
