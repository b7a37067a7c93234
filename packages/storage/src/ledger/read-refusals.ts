import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { Mode } from "@tollgate/core/event";
import type { Scope } from "./scope.ts";

export interface RefusalFilter {
  readonly agentKey?: string;
  readonly keyId?: string;
  readonly reason?: string;
  readonly budgetId?: string;
  readonly from?: number;
  /** Exclusive. */
  readonly to?: number;
}

export interface ListedRefusal {
  readonly id: number;
  readonly created_at: number;
  readonly key_id: string;
  readonly agent_key: string | null;
  readonly reason: string;
  readonly limit_value: number | null;
  readonly budget_id: string | null;
}

/** As it is in the ledger. */
export interface StoredRefusal extends ListedRefusal {
  readonly org_id: string;
  readonly mode: Mode;
}

/** The sum of an hour. */
export interface CountedRefusals {
  readonly org_id: string;
  readonly mode: Mode;
  readonly hour: number;
  readonly reason: string;
  readonly agent_key: string;
  readonly key_id: string;
  readonly calls: number;
}

/** Refused calls, wherever they are kept. */
export interface RefusalSource {
  /** Newest first, after the given one. */
  list(
    scope: Scope,
    filter: RefusalFilter,
    after: { readonly at: number; readonly seq: number } | null,
    limit: number,
  ): Promise<ListedRefusal[]>;
  counts(...asked: RefusalCounting): Promise<RefusalGroup[]>;
}

/** Newest first, older than `before`. A scope has few enough to read all of them. */
export function readRefusals(
  database: Database,
  { orgId, mode }: Scope,
  { agentKey, keyId, reason, budgetId, from, to }: RefusalFilter,
  before: number,
  limit: number,
): ListedRefusal[] {
  const conditions = ["org_id = ?", "mode = ?", "id < ?"];
  const values: SQLQueryBindings[] = [orgId, mode, before];
  const filters = [
    ["agent_key = ?", agentKey],
    ["key_id = ?", keyId],
    ["reason = ?", reason],
    ["budget_id = ?", budgetId],
    ["created_at >= ?", from],
    ["created_at < ?", to],
  ] as const;
  for (const [condition, value] of filters) {
    if (value === undefined) continue;
    conditions.push(condition);
    values.push(value);
  }
  return database
    .query<ListedRefusal, SQLQueryBindings[]>(
      `SELECT id, created_at, key_id, agent_key, reason, limit_value, budget_id FROM refusals
       WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT ?`,
    )
    .all(...values, limit);
}

/** What refused calls can be counted by. */
const groups = {
  reason: "reason",
  agent: "agent_key",
  key: "key_id",
  day: "CAST(hour - hour % 86400000 AS TEXT)",
} as const;

/** Which refusals to count, by what, and how many of the most frequent groups to return. */
export type RefusalCounting = readonly [
  scope: Scope,
  window: { readonly from: number; readonly to: number },
  by: keyof typeof groups,
  atMost: number,
  agentKey?: string,
];

export interface RefusalGroup {
  /** Empty: the agents or keys that are not counted separately. */
  readonly name: string;
  readonly calls: number;
}

/** Most frequent first. */
export function countRefusals(
  database: Database,
  ...[{ orgId, mode }, window, by, atMost, agentKey]: RefusalCounting
): RefusalGroup[] {
  return database
    .query<RefusalGroup, [string, string, number, number, string | null, number]>(
      `SELECT ${groups[by]} AS name, sum(calls) AS calls FROM refusal_counts
       WHERE org_id = ?1 AND mode = ?2 AND hour >= ?3 AND hour < ?4 AND agent_key = coalesce(?5, agent_key)
       GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?6`,
    )
    .all(orgId, mode, window.from, window.to, agentKey ?? null, atMost);
}
