import type { Engine } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";
import { VERIFICATIONS } from "./known-ids.ts";
import type { Scope, Window } from "./queries.ts";
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
