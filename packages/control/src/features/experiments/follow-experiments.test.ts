import { describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { EMPTY_SESSION, type SessionTally, Tally } from "@tollgate/core/experiments/tally";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { callsOf } from "../../../../../test/support/labs/experiment-lab.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { organizationRow } from "../../../../../test/support/rows/organization-row.ts";
import { sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { endExperiment } from "./end-experiment.ts";
import { EXPERIMENTS_CURSOR, followExperiments } from "./follow-experiments.ts";
import { toExperiment } from "./to-experiment.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const EXPERIMENT = "an experiment";
let made = 0;

for (const engine of engines) {
  describe(`the calls of experiments on ${engine}`, () => {
    it("EXP-003 are counted once each, in order, across restarts, faults and two concurrent followers", async () => {
      const { database, reader, append, close } = await open();
      await begin(database, EXPERIMENT, "running");
      const calls = callsOf(EXPERIMENT, { calls: 5300, sessionCalls: 4, controlErrors: 0.1 });
      const events: Event[] = [];
      for (const [from, to] of [
        [0, 3],
        [3, 900],
        [900, 5000],
      ] as const) {
        events.push(...(await append(calls.slice(from, to))));
        await append([{ agent_key: "writer" }, { agent_key: "nobody" }]);
        // A new follower each time: its whole state is in the database. Two concurrent ones share the work.
        const followers = [0, 1].map(() => followExperiments(database, reader));
        await Promise.all(followers.flatMap(follower => [follower.catchUp(), follower.catchUp()]));
      }
      events.push(...(await append(calls.slice(5000))));
      const before = await snapshot(database);
      // The last write fails, so nothing of the batch may remain.
      await rename(database, "experiment_tallies", "tallies_elsewhere");
      await expect(followExperiments(database, reader).catchUp()).rejects.toThrow();
      await rename(database, "tallies_elsewhere", "experiment_tallies");
      expect(await snapshot(database)).toEqual(before);
      await followExperiments(database, reader).catchUp();

      const { tally, sessions, latencies } = await snapshot(database);
      expect(tally).toBe(talliedAtOnce(events).toText());
      expect(sessions.reduce((sum, { calls }) => sum + calls, 0)).toBe(5300);
      expect(latencies.reduce((sum, { calls }) => sum + calls, 0)).toBe(5300);
      close();
    });

    it("EXP-006 are shown to a request that read the experiment just before its end", async () => {
      const { database, reader, append, close } = await open();
      const { db } = database;
      await begin(database, EXPERIMENT, "running");
      await append(callsOf(EXPERIMENT, { calls: 300 }));
      const experiments = followExperiments(database, reader);
      const parts = { db, engine, now: () => 5, newId: () => crypto.randomUUID(), experiments };
      const row = await db.selectFrom("experiments").selectAll().executeTakeFirstOrThrow();
      await endExperiment(parts, EXPERIMENT, {
        reason: "stopped",
        promote: false,
        cause: { authority: "operator", actor: "test" },
        at: 5,
      });
      const shown = await toExperiment(db, row, 5);
      expect([shown.status, shown.control_samples + shown.treatment_samples]).toEqual(["completed", 300]);
      close();
    });

    it("EXP-006 are not counted when they settle after the end", async () => {
      const { database, reader, append, close } = await open();
      await begin(database, EXPERIMENT, "running");
      const follower = followExperiments(database, reader);
      await append(callsOf(EXPERIMENT, { calls: 10 }));
      await follower.catchUp();
      await database.db.updateTable("experiments").set({ status: "completed" }).execute();
      await begin(database, "another", "running");
      await append(callsOf(EXPERIMENT, { calls: 10 }));
      await follower.catchUp();
      expect(callsIn(await snapshot(database))).toBe(10);
      close();
    });

    it("cost nothing while there is no experiment: the cursor jumps over them", async () => {
      const { database, reader, append, close } = await open();
      const follower = followExperiments(database, reader);
      await append(callsOf("unknown", { calls: 50 }));
      await follower.catchUp();
      await begin(database, EXPERIMENT, "paused");
      await append(callsOf(EXPERIMENT, { calls: 7 }));
      await follower.catchUp();
      expect(callsIn(await snapshot(database))).toBe(7);
      close();
    });
  });

  async function open() {
    const database = await databases.open(engine);
    const path = inFolder(`ledger-${++made}.db`);
    const ledger = new Ledger(path, "normal");
    const reader = new LedgerReader(path);
    return {
      database,
      reader,
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
}

async function begin({ db }: ControlDatabase, id: string, status: string): Promise<void> {
  await db
    .insertInto("organizations")
    .values(organizationRow())
    .onConflict(conflict => conflict.doNothing())
    .execute();
  await db
    .insertInto("experiments")
    .values({
      id,
      org_id: "org",
      mode: "live",
      agent_id: "agent",
      agent_key: "writer",
      name: "x",
      control_model: null,
      treatment_model: "gpt-4o",
      traffic_pct: 50,
      primary_metric: "latency_p50",
      max_duration_days: 14,
      auto_promote: 0,
      status,
      created_at: 0,
      ends_at: 2_000_000_000_000,
      ended_at: null,
      end_reason: null,
      winner: null,
      results: null,
      updated_at: 0,
    })
    .execute();
}

async function rename({ db }: ControlDatabase, from: string, to: string): Promise<void> {
  await sql`ALTER TABLE ${sql.table(from)} RENAME TO ${sql.table(to)}`.execute(db);
}

function callsIn({ latencies }: Awaited<ReturnType<typeof snapshot>>): number {
  return latencies.reduce((sum, { calls }) => sum + calls, 0);
}

async function snapshot({ db }: ControlDatabase) {
  const cursor = db.selectFrom("cursors").selectAll().where("reader", "=", EXPERIMENTS_CURSOR);
  return {
    cursor: await cursor.execute(),
    tally: (await db.selectFrom("experiment_tallies").selectAll().executeTakeFirst())?.tally,
    sessions: await db.selectFrom("experiment_sessions").selectAll().orderBy("session_id").execute(),
    latencies: await db.selectFrom("experiment_latencies").selectAll().orderBy("latency_ms").execute(),
  };
}

function talliedAtOnce(events: readonly Event[]): Tally {
  const tally = Tally.of("latency_p50");
  const sessions = new Map<string | null, SessionTally>();
  for (const { arm, cost_microcents, latency_ms, status, session_id } of events) {
    if (arm !== "control" && arm !== "treatment") continue;
    const before = sessions.get(session_id) ?? EMPTY_SESSION;
    const after = tally.add({ arm, cost_microcents, latency_ms, is_error: status === "error" }, before);
    if (after !== null) sessions.set(session_id, after);
  }
  return tally;
}
