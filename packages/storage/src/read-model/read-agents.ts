import { type Kysely, sql } from "kysely";
import type { ControlSchema } from "../control/schema.ts";
import type { AgentRecord, AgentTotals, Totals, Window } from "./queries.ts";
import { splitWindow } from "./split-window.ts";
import { sumOf, totalsOfFacts, totalsOfSums } from "./sum-of.ts";
import { HOUR_MS } from "./sum-rollups.ts";

type Database = Kysely<ControlSchema>;
type AgentSum = { agent: number } & { -readonly [column in keyof Totals]: number };

/** Agents that called within the window, the most expensive first. */
export async function readUsageByAgent(db: Database, scope: number, window: Window): Promise<AgentTotals[]> {
  const sums = new Map<number, AgentSum>();
  const { days, hours, moments } = splitWindow(window);
  const parts = [
    ...days.map(piece => rollupsByAgent(db, "rollup_days", "day", scope, piece)),
    ...hours.map(piece => rollupsByAgent(db, "rollup_hours", "hour", scope, piece)),
    ...moments.map(piece => factsByAgent(db, scope, piece)),
  ];
  for (const part of await Promise.all(parts)) {
    for (const row of part) {
      const sum = sums.get(row.agent);
      if (sum === undefined) sums.set(row.agent, { ...row });
      else addTo(sum, row);
    }
  }
  const agents = await db
    .selectFrom("agents")
    .select(["id", "agent_id", "agent_key"])
    .where("scope", "=", scope)
    .execute();
  const totals: AgentTotals[] = [];
  for (const { id, agent_id, agent_key } of agents) {
    const sum = sums.get(id);
    if (sum === undefined) continue;
    const { agent: _, ...ofAgent } = sum;
    totals.push({ agent_id, agent_key, ...ofAgent });
  }
  return totals.sort(
    (a, b) =>
      b.cost_microcents - a.cost_microcents || b.calls - a.calls || (a.agent_key < b.agent_key ? -1 : 1),
  );
}

/** In the order in which they came. `agentId`: that one only. */
export async function readAgents(
  db: Database,
  scope: number,
  now: number,
  agentId?: string,
): Promise<AgentRecord[]> {
  let query = db
    .selectFrom("agents")
    .select(["id", "agent_id", "agent_key", "first_seen_at", "last_call_at"])
    .where("scope", "=", scope)
    .orderBy("first_seen_at")
    .orderBy("id");
  if (agentId !== undefined) query = query.where("agent_id", "=", agentId);
  const agents = await query.execute();
  const only = agentId === undefined ? undefined : agents[0]?.id;
  // The hour that ends with this millisecond.
  const lastHour = { from: now - HOUR_MS + 1, to: now + 1 };
  const recent = new Map((await factsByAgent(db, scope, lastHour, only)).map(row => [row.agent, row]));
  return agents.map(({ id, agent_id, ...agent }) => ({
    id: agent_id,
    ...agent,
    recent_calls: recent.get(id)?.calls ?? 0,
    recent_errors: recent.get(id)?.errors ?? 0,
  }));
}

async function rollupsByAgent(
  db: Database,
  table: "rollup_days" | "rollup_hours",
  time: "day" | "hour",
  scope: number,
  { from, to }: Window,
): Promise<readonly AgentSum[]> {
  // `model = 0` is written out: an index that has only those rows is used when the statement says so itself.
  const { rows } = await sql<AgentSum>`
    SELECT agent, ${sql.join([...totalsOfSums, sumOf(sql.ref("latency_sum_ms")).as("latency_sum_ms")])}
    FROM ${sql.table(table)} WHERE scope = ${scope} AND model = 0
      AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}
    GROUP BY agent`.execute(db);
  return rows;
}

async function factsByAgent(
  db: Database,
  scope: number,
  { from, to }: Window,
  agent?: number,
): Promise<readonly AgentSum[]> {
  const ofAgent = agent === undefined ? sql`` : sql`AND agent = ${agent}`;
  const { rows } = await sql<AgentSum>`
    SELECT agent, ${sql.join([...totalsOfFacts, sumOf(sql.ref("latency_ms")).as("latency_sum_ms")])}
    FROM facts WHERE scope = ${scope} AND created_at >= ${from} AND created_at < ${to} ${ofAgent}
    GROUP BY agent`.execute(db);
  return rows;
}

function addTo(sum: AgentSum, row: AgentSum): void {
  sum.calls += row.calls;
  sum.errors += row.errors;
  sum.input_tokens += row.input_tokens;
  sum.output_tokens += row.output_tokens;
  sum.cost_microcents += row.cost_microcents;
  sum.unpriced_calls += row.unpriced_calls;
  sum.latency_sum_ms += row.latency_sum_ms;
}
