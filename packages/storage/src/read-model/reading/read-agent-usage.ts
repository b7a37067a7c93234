import { noCalls } from "@tollgate/core/money/call-sums";
import { type RawBuilder, sql } from "kysely";
import { listOfTexts } from "../../database/list-of.ts";
import type { Engine } from "../../database/open-control-database.ts";
import { isErrorSql } from "../is-error-sql.ts";
import { namesOf } from "../names-of.ts";
import type { AgentsByCostChoice, AgentTotals, UsageByAgent } from "../queries/agent-queries.ts";
import type { Totals } from "../queries/usage-queries.ts";
import { sumOf } from "../sum-of.ts";
import type { Window } from "../window.ts";
import { splitWindow } from "./split-window.ts";

const totalNames = [
  "calls",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "unpriced_calls",
  "latency_sum_ms",
] as const satisfies readonly (keyof Totals)[];

/** A row of null for the calls of verifications. */
type CallerTotals = AgentTotals | (Totals & { readonly agent_id: null; readonly agent_key: null });

/** Most expensive first. */
export function usageByAgent(scope: number, window: Window): RawBuilder<CallerTotals> {
  return sql`
    SELECT agents.agent_id, agents.agent_key, ${sql.join(totalNames.map(name => sql`sums.${sql.ref(name)}`))}
    FROM ${sumsByAgent(scope, window)} AS sums LEFT JOIN agents ON agents.id = sums.agent
    ORDER BY sums.cost_microcents DESC, sums.calls DESC, agents.agent_key`;
}

export function toUsageByAgent(rows: readonly CallerTotals[]): UsageByAgent {
  const ofVerifications = rows.find(({ agent_id }) => agent_id === null);
  const {
    agent_id: _,
    agent_key: __,
    ...verifications
  } = ofVerifications ?? {
    ...{ agent_id: null, agent_key: null },
    ...{ ...noCalls(), latency_sum_ms: 0 },
  };
  return { agents: rows.filter(row => row.agent_id !== null), verifications };
}

export function agentsByCost(
  engine: Engine,
  scope: number,
  window: Window,
  { limit, offset = 0, agentIds }: AgentsByCostChoice,
): RawBuilder<AgentTotals> {
  const totals = totalNames.map(name => sql`coalesce(sums.${sql.ref(name)}, 0) AS ${sql.ref(name)}`);
  return sql`
    SELECT agents.agent_id, agents.agent_key, ${sql.join(totals)}
    FROM agents LEFT JOIN ${sumsByAgent(scope, window)} AS sums ON sums.agent = agents.id
    WHERE agents.scope = ${scope} ${amongAgents(engine, agentIds)}
    ORDER BY coalesce(sums.cost_microcents, 0) DESC, coalesce(sums.calls, 0) DESC, agents.agent_key
    LIMIT ${limit} OFFSET ${offset}`;
}

export function countOfSpenders(
  engine: Engine,
  scope: number,
  window: Window,
  agentIds: readonly string[] | undefined,
): RawBuilder<{ count: number }> {
  return sql`
    SELECT count(*) AS count FROM ${sumsByAgent(scope, window)} AS sums JOIN agents ON agents.id = sums.agent
    WHERE sums.cost_microcents > 0 ${amongAgents(engine, agentIds)}`;
}

function amongAgents(engine: Engine, agentIds: readonly string[] | undefined): RawBuilder<unknown> {
  return agentIds === undefined ? sql`` : sql`AND agents.agent_id IN ${listOfTexts(engine, agentIds)}`;
}

/** A table of sums with a row per agent that called: days and hours from rollups, the rest from facts. */
function sumsByAgent(scope: number, window: Window): RawBuilder<unknown> {
  const { days, hours, moments } = splitWindow(window);
  const parts = [
    ...days.map(piece => rollups("rollup_days", "day", scope, piece)),
    ...hours.map(piece => rollups("rollup_hours", "hour", scope, piece)),
    ...(moments.length === 0 ? [{ from: 0, to: 0 }] : moments).map(piece => facts(scope, piece)),
  ];
  const sums = totalNames.map(name => sumOf(sql.ref<number>(name)).as(name));
  return sql`(SELECT agent, ${sql.join(sums)} FROM (${sql.join(parts, sql` UNION ALL `)}) AS parts GROUP BY agent)`;
}

function rollups(
  table: "rollup_days" | "rollup_hours",
  time: "day" | "hour",
  scope: number,
  { from, to }: Window,
): RawBuilder<unknown> {
  // `model = 0` is literal: otherwise the partial index on those rows is not used.
  return sql`SELECT agent, ${namesOf(totalNames)} FROM ${sql.table(table)}
    WHERE scope = ${scope} AND model = 0 AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;
}

function facts(scope: number, { from, to }: Window): RawBuilder<unknown> {
  const isError = sql`CASE WHEN ${isErrorSql()} THEN 1 ELSE 0 END`;
  return sql`SELECT agent, 1 AS calls, ${isError} AS errors, input_tokens, output_tokens, cost_microcents,
      unpriced AS unpriced_calls, latency_ms AS latency_sum_ms FROM facts
    WHERE scope = ${scope} AND created_at >= ${from} AND created_at < ${to}`;
}
