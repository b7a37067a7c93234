import { type RawBuilder, sql } from "kysely";
import { histogramColumns, percentileMs } from "../../database/latency-histogram.ts";
import type { Scope } from "../../ledger/scope.ts";
import type { AgentHealthRecord, AgentOutcomes, LatencySpread } from "../queries/agent-signal-queries.ts";
import { sumOf } from "../sum-of.ts";
import type { Window } from "../window.ts";
import { lastTouch } from "./read-outcomes.ts";

const summed = ["calls", "errors", "cost_microcents"] as const;

/** An agent's days in two parts: before `recentFrom`, and since then. */
export interface HealthRow {
  readonly agent_id: string;
  readonly agent_key: string;
  readonly last_call_at: number | null;
  readonly is_recent: number;
  readonly calls: number;
  readonly errors: number;
  readonly cost_microcents: number;
}

/** Every agent of the scope, from rollups of whole UTC days. */
export function healthRows(
  scope: number,
  { from, to }: Window,
  recentFrom: number,
): RawBuilder<HealthRow & Readonly<Record<string, unknown>>> {
  const sums = [...summed, ...histogramColumns].map(column =>
    sumOf(sql.ref<number>(`days.${column}`)).as(column),
  );
  // Agent by agent, in the order of its own days: no row is looked up elsewhere, and nothing has to be sorted.
  const part = (isRecent: number, begin: number, end: number) => sql`
    SELECT agents.agent_id, agents.agent_key, agents.last_call_at, ${sql.lit(isRecent)} AS is_recent, ${sql.join(sums)}
    FROM agents LEFT JOIN rollup_days AS days ON days.scope = agents.scope AND days.agent = agents.id
      AND days.model = 0 AND days.day >= ${begin} AND days.day < ${end}
    WHERE agents.scope = ${scope} GROUP BY agents.agent_key, agents.agent_id, agents.last_call_at`;
  const middle = Math.max(from, recentFrom);
  return sql`${part(0, from, middle)} UNION ALL ${part(1, middle, to)}`;
}

export function toHealthRecords(
  rows: readonly (HealthRow & Readonly<Record<string, unknown>>)[],
): AgentHealthRecord[] {
  const records = [...Map.groupBy(rows, row => row.agent_id).values()].flatMap(parts => {
    const [first] = parts;
    if (first === undefined) return [];
    const sum = (of: (typeof summed)[number]) => parts.reduce((total, part) => total + part[of], 0);
    return {
      agent_id: first.agent_id,
      agent_key: first.agent_key,
      last_call_at: first.last_call_at,
      calls: sum("calls"),
      errors: sum("errors"),
      cost_microcents: sum("cost_microcents"),
      latency: spreadOf(parts),
      recentLatency: spreadOf(parts.filter(part => part.is_recent === 1)),
    };
  });
  return records.sort((a, b) => (a.agent_key < b.agent_key ? -1 : 1));
}

function spreadOf(parts: readonly Readonly<Record<string, unknown>>[]): LatencySpread {
  const counts = histogramColumns.map(column =>
    parts.reduce((sum, part) => sum + Number(part[column] ?? 0), 0),
  );
  return {
    calls: counts.reduce((sum, count) => sum + count, 0),
    p50_ms: percentileMs(counts, 0.5),
    p95_ms: percentileMs(counts, 0.95),
  };
}

/** Outcomes that say whether they succeeded, credited as attribution's `direct` model does. */
export function outcomesByAgent(scopeId: number, scope: Scope, window: Window): RawBuilder<AgentOutcomes> {
  return sql`
    SELECT agent_id, count(*) AS outcomes, ${sumOf(sql.ref("success"))} AS successes FROM (
      SELECT coalesce(outcomes.agent_id, ${lastTouch(scopeId)}) AS agent_id, outcomes.success AS success
      FROM outcomes LEFT JOIN sessions
        ON sessions.session_id = outcomes.session_id AND sessions.scope = ${scopeId}
      WHERE outcomes.org_id = ${scope.orgId} AND outcomes.mode = ${scope.mode} AND outcomes.success IS NOT NULL
        AND outcomes.created_at >= ${window.from} AND outcomes.created_at < ${window.to}) AS credited
    WHERE agent_id IS NOT NULL GROUP BY agent_id`;
}
