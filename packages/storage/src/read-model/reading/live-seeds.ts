import type { CallSums } from "@tollgate/core/money/call-sums";
import { sql } from "kysely";
import { listOfTexts } from "../../database/list-of.ts";
import type { ControlDatabase } from "../../database/open-control-database.ts";
import { readTogether } from "../../database/read-together.ts";
import type { ControlDb } from "../../database/schema.ts";
import { readSeq } from "../../following/stored-position.ts";
import type { Scope } from "../../ledger/scope.ts";
import { ADJUSTMENTS_CURSOR, EVENTS_CURSOR } from "../deriving/read-model-repair.ts";
import type { Position } from "../page.ts";
import { sumOf, totalsOfFacts, totalsOfSums } from "../sum-of.ts";
import { scopeFinder } from "./scope-finder.ts";

/** What was read, and the ledger seq up to which it counts; the reader adds later events. */
interface Seed<Row> {
  readonly seq: number;
  readonly rows: readonly Row[];
}

interface DaySeed extends CallSums {
  readonly day: number;
}

interface AgentSeed {
  readonly agent_key: string;
  readonly last_call_at: number | null;
}

interface RecentSeed {
  readonly agent_key: string;
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
}

interface AgentHourSeed {
  readonly agent_key: string;
  readonly hour: number;
  readonly calls: number;
  readonly cost_microcents: number;
  readonly unpriced_calls: number;
}

export interface SessionCall {
  readonly seq: number;
  readonly created_at: number;
  readonly agent_key: string;
  readonly session_id: string | null;
  readonly cost_microcents: number;
  /** 1: its cost is unknown. */
  readonly unpriced: number;
}

/** Where the live channel starts counting: the read model at a known ledger position. */
export interface LiveSeeds {
  days(scope: Scope, fromDay: number): Promise<Seed<DaySeed>>;
  agents(
    scope: Scope,
    recentFrom: number,
    stepMs: number,
  ): Promise<Seed<AgentSeed> & { readonly recent: readonly RecentSeed[] }>;
  agentHours(scope: Scope, from: number): Promise<Seed<AgentHourSeed>>;
  /** Newest first, in sessions or not; only events up to `seq`. */
  calls(
    scope: Scope,
    from: number,
    seq: number,
    limit: number,
    after: Position | null,
  ): Promise<SessionCall[]>;
  /** Advances whenever anything other than new events has changed the sums. */
  adjustmentsCursor(): Promise<number>;
  adjustments(eventIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export function createLiveSeeds(database: ControlDatabase): LiveSeeds {
  const { db, engine } = database;
  const findScope = scopeFinder();

  /** Reads sums and cursor in one snapshot: the follower's next batch is in both or in neither. */
  async function atOneMoment<Answer>(
    scope: Scope,
    nothing: Answer,
    work: (db: ControlDb, scope: number) => Promise<Answer>,
  ): Promise<{ seq: number; answer: Answer }> {
    return db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute(async transaction => {
        const seq = await readSeq(transaction, EVENTS_CURSOR);
        const id = await findScope(transaction, scope);
        return { seq, answer: id === null ? nothing : await work(transaction, id) };
      });
  }

  return {
    async days(scope, fromDay) {
      const { seq, answer } = await atOneMoment<readonly DaySeed[]>(scope, [], async (db, id) => {
        const { rows } = await sql<DaySeed>`
          SELECT day, ${sql.join([...totalsOfSums])} FROM rollup_days
          WHERE scope = ${id} AND agent = 0 AND day >= ${fromDay} AND model > 0 GROUP BY day`.execute(db);
        return rows;
      });
      return { seq, rows: answer };
    },

    async agents(scope, recentFrom, stepMs) {
      const nothing = { rows: [] as readonly AgentSeed[], recent: [] as readonly RecentSeed[] };
      const { seq, answer } = await atOneMoment(scope, nothing, async (db, id) => {
        const agents = await db
          .selectFrom("agents")
          .select(["id", "agent_key", "last_call_at"])
          .where("scope", "=", id)
          .execute();
        const keys = new Map(agents.map(agent => [agent.id, agent.agent_key]));
        const { rows } = await sql<{ agent: number; at: number; calls: number; errors: number }>`
          SELECT agent, created_at - created_at % ${sql.lit(stepMs)} AS at, ${sql.join(totalsOfFacts.slice(0, 2))}
          FROM facts WHERE scope = ${id} AND created_at >= ${recentFrom} GROUP BY 1, 2`.execute(db);
        return {
          rows: agents.map(({ agent_key, last_call_at }) => ({ agent_key, last_call_at })),
          recent: rows.flatMap(({ agent, ...counts }) => {
            const agent_key = keys.get(agent);
            return agent_key === undefined ? [] : [{ agent_key, ...counts }];
          }),
        };
      });
      return { seq, ...answer };
    },

    async agentHours(scope, from) {
      const { seq, answer } = await atOneMoment<readonly AgentHourSeed[]>(scope, [], async (db, id) => {
        const { rows } = await sql<AgentHourSeed>`
          SELECT agents.agent_key, hour, calls, cost_microcents, unpriced_calls FROM rollup_hours
          JOIN agents ON agents.id = rollup_hours.agent
          WHERE rollup_hours.scope = ${id} AND model = 0 AND hour >= ${from}`.execute(db);
        return rows;
      });
      return { seq, rows: answer };
    },

    async calls(scope, from, seq, limit, after) {
      return readTogether(database, async connection => {
        const id = await findScope(connection, scope);
        if (id === null) return [];
        const older =
          after === null
            ? sql``
            : sql`AND created_at <= ${after.at} AND (created_at < ${after.at} OR seq < ${after.seq})`;
        const { rows } = await sql<SessionCall>`
          SELECT newest.seq, newest.created_at, agents.agent_key, sessions.session_id, newest.cost_microcents,
            newest.unpriced
          FROM (
            SELECT seq, created_at, agent, session, cost_microcents, unpriced FROM facts
            WHERE scope = ${id} AND created_at >= ${from} ${older} AND seq <= ${seq}
            ORDER BY created_at DESC, seq DESC LIMIT ${limit}
          ) AS newest
          JOIN agents ON agents.id = newest.agent
          LEFT JOIN sessions ON sessions.id = newest.session
          ORDER BY newest.created_at DESC, newest.seq DESC`.execute(connection);
        return rows;
      });
    },

    adjustmentsCursor: () => readSeq(db, ADJUSTMENTS_CURSOR),

    async adjustments(eventIds) {
      if (eventIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("adjustments")
        .select(["event_id", sumOf(sql.ref("amount_microcents")).as("amount")])
        .where("event_id", "in", listOfTexts(engine, eventIds))
        .groupBy("event_id")
        .execute();
      return new Map(rows.map(row => [row.event_id, row.amount]));
    },
  };
}
