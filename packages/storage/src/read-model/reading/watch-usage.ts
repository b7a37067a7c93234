import { sql } from "kysely";
import { listOfTexts } from "../../database/list-of.ts";
import type { ControlDatabase, Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { type Scope, toScope } from "../../ledger/scope.ts";
import { errorCodes } from "../../ledger/status-codes.ts";
import { sumOf } from "../sum-of.ts";
import type { Window } from "../window.ts";
import { type FindScope, scopeFinder } from "./scope-finder.ts";

export interface RecentCall {
  readonly at: number;
  readonly agentKey: string;
  readonly isError: boolean;
  readonly latencyMs: number;
}

export interface AgentActivity {
  readonly agentId: string;
  readonly agentKey: string;
  /** When Tollgate first saw it; imported calls may be older. */
  readonly firstSeenAt: number;
  /** null: its first call is still in flight. */
  readonly lastCallAt: number | null;
}

/** A day's cost, and the number of calls that it excludes. */
interface DayCost {
  readonly costMicrocents: number;
  readonly unpricedCalls: number;
}

const PAGE = 5000;

/**
 * Read-model queries that run constantly while traffic is watched. Each is one statement that reads a few rows by
 * primary key, regardless of traffic.
 */
export class UsageWatch {
  readonly #db: ControlDb;
  readonly #engine: Engine;
  readonly #findScope: FindScope = scopeFinder();

  constructor({ db, engine }: ControlDatabase) {
    this.#db = db;
    this.#engine = engine;
  }

  async scopes(): Promise<Scope[]> {
    const rows = await this.#db.selectFrom("scopes").select(["org_id", "mode"]).execute();
    return rows.map(toScope);
  }

  /** By UTC day (its first millisecond), only days with calls; all agents, or one (by its public id). */
  async costByDay(scope: Scope, days: Window, agentId: string | null = null): Promise<Map<number, DayCost>> {
    const subject = await this.#subject(scope, agentId);
    if (subject === null) return new Map();
    const { rows } = await sql<DayCost & { day: number }>`
      SELECT day, ${sumOf(sql.ref("cost_microcents")).as("costMicrocents")},
        ${sumOf(sql.ref("unpriced_calls")).as("unpricedCalls")} FROM rollup_days
      WHERE scope = ${subject.scope} AND agent = ${subject.agent} AND ${ofAllModels(subject.agent)}
        AND day >= ${days.from} AND day < ${days.to}
      GROUP BY day`.execute(this.#db);
    return new Map(rows.map(({ day, ...cost }) => [day, cost]));
  }

  /** The first UTC day with a call. */
  async firstDay(scope: Scope): Promise<number | null> {
    return this.#first(scope, "rollup_days", "day");
  }

  /** The first UTC hour with a call. */
  async firstHour(scope: Scope): Promise<number | null> {
    return this.#first(scope, "rollup_hours", "hour");
  }

  /** Calls of whole UTC hours. */
  async callsOfHours(scope: Scope, hours: Window): Promise<number> {
    const subject = await this.#subject(scope, null);
    if (subject === null) return 0;
    const { rows } = await sql<{ calls: number }>`
      SELECT ${sumOf(sql.ref("calls"))} AS calls FROM rollup_hours
      WHERE scope = ${subject.scope} AND agent = 0 AND hour >= ${hours.from} AND hour < ${hours.to}`.execute(
      this.#db,
    );
    return rows[0]?.calls ?? 0;
  }

  /** Calls since a moment, up to a ledger seq, page by page. */
  async *callsSince(scope: Scope, from: number, upToSeq: number): AsyncGenerator<RecentCall[]> {
    const id = await this.#findScope(this.#db, scope);
    if (id === null) return;
    let after = { at: from, seq: 0 };
    for (;;) {
      const rows = await this.#db
        .selectFrom("facts")
        .innerJoin("agents", "agents.id", "facts.agent")
        .select(["facts.seq", "facts.created_at", "facts.status", "facts.latency_ms", "agents.agent_key"])
        .where("facts.scope", "=", id)
        .where("facts.created_at", ">=", after.at)
        .where("facts.seq", "<=", upToSeq)
        .where(({ eb, or }) => or([eb("facts.created_at", ">", after.at), eb("facts.seq", ">", after.seq)]))
        .orderBy("facts.created_at")
        .orderBy("facts.seq")
        .limit(PAGE)
        .execute();
      const last = rows.at(-1);
      if (last === undefined) return;
      after = { at: last.created_at, seq: last.seq };
      yield rows.map(row => ({
        at: row.created_at,
        agentKey: row.agent_key,
        isError: errorCodes.includes(row.status),
        latencyMs: row.latency_ms,
      }));
      if (rows.length < PAGE) return;
    }
  }

  /** All agents of a scope, or those with these keys. */
  async agents(scope: Scope, agentKeys: readonly string[] | null = null): Promise<AgentActivity[]> {
    const id = await this.#findScope(this.#db, scope);
    if (id === null) return [];
    const rows = await this.#db
      .selectFrom("agents")
      .select(["agent_id", "agent_key", "first_seen_at", "last_call_at"])
      .where("scope", "=", id)
      .$if(agentKeys !== null, query =>
        query.where("agent_key", "in", listOfTexts(this.#engine, agentKeys ?? [])),
      )
      .execute();
    return rows.map(toActivity);
  }

  async #first(scope: Scope, table: "rollup_days" | "rollup_hours", time: "day" | "hour") {
    const id = await this.#findScope(this.#db, scope);
    if (id === null) return null;
    const { rows } = await sql<{ first: number | null }>`
      SELECT min(${sql.ref(time)}) AS first FROM ${sql.table(table)}
      WHERE scope = ${id} AND agent = 0`.execute(this.#db);
    return rows[0]?.first ?? null;
  }

  async #subject(scope: Scope, agentId: string | null) {
    const id = await this.#findScope(this.#db, scope);
    if (id === null) return null;
    if (agentId === null) return { scope: id, agent: 0 };
    const agent = await this.#db
      .selectFrom("agents")
      .select("id")
      .where("scope", "=", id)
      .where("agent_id", "=", agentId)
      .executeTakeFirst();
    return agent === undefined ? null : { scope: id, agent: agent.id };
  }
}

/** All agents together have a row per model; a single agent also has one over all models. */
function ofAllModels(agent: number) {
  return agent === 0 ? sql`model > 0` : sql`model = 0`;
}

function toActivity(row: {
  agent_id: string;
  agent_key: string;
  first_seen_at: number;
  last_call_at: number | null;
}): AgentActivity {
  return {
    agentId: row.agent_id,
    agentKey: row.agent_key,
    firstSeenAt: row.first_seen_at,
    lastCallAt: row.last_call_at,
  };
}
