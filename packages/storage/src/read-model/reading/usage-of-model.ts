import { sql } from "kysely";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import type { Scope } from "../../ledger/scope.ts";
import { VERIFICATIONS } from "../deriving/known-ids.ts";
import type { Window } from "../window.ts";
import { readUsage } from "./read-usage.ts";
import { scopeFinder } from "./scope-finder.ts";

interface ModelOf {
  /** The public id; null: all agents. */
  readonly agentId: string | null;
  readonly provider: string;
  readonly model: string;
}

interface Counts {
  readonly calls: number;
  readonly errors: number;
}

/** Means all agents in rollups, including verifications. */
const ALL_AGENTS = 0;

/** The agents' own calls of one model, and how many of them failed, for use inside a transaction. */
export async function usageOfModel(
  db: ControlDb,
  engine: Engine,
  scope: Scope,
  { agentId, provider, model }: ModelOf,
  window: Window,
): Promise<Counts> {
  const none = { calls: 0, errors: 0 };
  const scopeId = await scopeFinder()(db, scope);
  if (scopeId === null) return none;
  const usageOf = async (agent: number) => {
    const { byModel } = await readUsage(db, engine, scopeId, agent, window);
    return byModel.find(line => line.provider === provider && line.model === model) ?? none;
  };
  if (agentId !== null) {
    const agent = await findAgent(db, scopeId, agentId);
    return agent === null ? none : countsOf(await usageOf(agent), none);
  }
  return countsOf(await usageOf(ALL_AGENTS), await usageOf(VERIFICATIONS));
}

/**
 * When the agent was first seen, or the first of all agents (null): ingested calls may be older than their agent, so the
 * first day with calls since `from` counts too. null: there is no such agent.
 */
export async function firstSeenAt(
  db: ControlDb,
  scope: Scope,
  agentId: string | null,
  from: number,
): Promise<number | null> {
  const scopeId = await scopeFinder()(db, scope);
  const agent = scopeId === null || agentId === null ? ALL_AGENTS : await findAgent(db, scopeId, agentId);
  if (scopeId === null || agent === null) return null;
  const { seen } = await db
    .selectFrom("agents")
    .select(({ fn }) => fn.min("first_seen_at").as("seen"))
    .where("scope", "=", scopeId)
    .$if(agent !== ALL_AGENTS, query => query.where("id", "=", agent))
    .executeTakeFirstOrThrow();
  const { day } = await db
    .selectFrom("rollup_days")
    .select(({ fn }) => fn.min("day").as("day"))
    .where("scope", "=", scopeId)
    .where("agent", "=", agent)
    // Literal: otherwise the partial index on those rows is not used.
    .where("model", "=", sql.lit(0))
    .where("day", ">=", from)
    .executeTakeFirstOrThrow();
  const known = [seen, day].filter(at => at !== null);
  return known.length === 0 ? null : Math.min(...known.map(Number));
}

function countsOf(all: Counts, without: Counts): Counts {
  return { calls: all.calls - without.calls, errors: all.errors - without.errors };
}

export async function findAgent(db: ControlDb, scope: number, agentId: string): Promise<number | null> {
  const row = await db
    .selectFrom("agents")
    .select("id")
    .where("scope", "=", scope)
    .where("agent_id", "=", agentId)
    .executeTakeFirst();
  return row?.id ?? null;
}
