import type { Database } from "bun:sqlite";
import type { Mode } from "@tollgate/core/event";
import { DAY_MS } from "@tollgate/core/time/durations";
import { scopeName } from "./scope.ts";

/** A call that the gateway refused itself. */
export interface Refusal {
  readonly orgId: string;
  readonly mode: Mode;
  readonly createdAtMs: number;
  readonly keyId: string;
  /** null: the header that names it was not valid. */
  readonly agentKey: string | null;
  /** An error code. */
  readonly reason: string;
  /** The limit that was reached: calls, or microcents of a budget. */
  readonly limit: number | null;
  readonly budgetId: string | null;
}

/** Refused calls of an hour. */
export interface RefusalCount {
  readonly orgId: string;
  readonly mode: Mode;
  /** Its first millisecond. */
  readonly hour: number;
  readonly reason: string;
  /** Both empty: more agents and keys than are counted separately. */
  readonly agentKey: string;
  readonly keyId: string;
  readonly calls: number;
}

export interface RefusalBatch {
  readonly refusals: readonly Refusal[];
  readonly counts: readonly RefusalCount[];
}

export const REFUSALS_KEPT_MS = 90 * DAY_MS;
/** Per organization and mode. */
export const MAX_LISTED_REFUSALS = 10_000;
/** New rows between two prunings; the table may exceed the maximum by this many. */
const PRUNE_EVERY = 500;
/** Maximum number of expired rows that one batch deletes. */
const PRUNED_AT_ONCE = 1000;

/** Writes refused calls, and deletes the oldest: both tables are bounded, whatever is sent to the gateway. */
export class RefusalStore {
  readonly #statements;
  readonly #addedSincePruning = new Map<string, number>();
  #pruneByAgeAtMs = 0;

  constructor(database: Database) {
    this.#statements = {
      add: database.query(
        `INSERT INTO refusals (org_id, mode, created_at, key_id, agent_key, reason, limit_value, budget_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      count: database.query(
        `INSERT INTO refusal_counts (org_id, mode, hour, reason, agent_key, key_id, calls) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`,
      ),
      pruneScope: database.query(
        `DELETE FROM refusals WHERE org_id = ?1 AND mode = ?2 AND id <= (
           SELECT id FROM refusals WHERE org_id = ?1 AND mode = ?2 ORDER BY id DESC LIMIT 1 OFFSET ${MAX_LISTED_REFUSALS})`,
      ),
      pruneOld: database.query(
        `DELETE FROM refusals WHERE id IN (
           SELECT id FROM refusals WHERE created_at < ? ORDER BY created_at LIMIT ${PRUNED_AT_ONCE})`,
      ),
      pruneOldCounts: database.query(
        `DELETE FROM refusal_counts WHERE (org_id, mode, hour, reason, agent_key, key_id) IN (
           SELECT org_id, mode, hour, reason, agent_key, key_id FROM refusal_counts
           WHERE hour < ? ORDER BY hour LIMIT ${PRUNED_AT_ONCE})`,
      ),
    };
  }

  /** Runs in a transaction. */
  add({ refusals, counts }: RefusalBatch, nowMs: number): void {
    for (const one of refusals) {
      this.#statements.add.run(
        one.orgId,
        one.mode,
        one.createdAtMs,
        one.keyId,
        one.agentKey,
        one.reason,
        one.limit,
        one.budgetId,
      );
      this.#prune(one);
    }
    for (const { orgId, mode, hour, reason, agentKey, keyId, calls } of counts) {
      this.#statements.count.run(orgId, mode, hour, reason, agentKey, keyId, calls);
    }
    this.#pruneByAge(nowMs);
  }

  #prune(scope: Refusal): void {
    const name = scopeName(scope);
    // The first refusal in a process prunes: the previous process may have stopped at any count.
    const added = (this.#addedSincePruning.get(name) ?? PRUNE_EVERY - 1) + 1;
    this.#addedSincePruning.set(name, added % PRUNE_EVERY);
    if (added === PRUNE_EVERY) this.#statements.pruneScope.run(scope.orgId, scope.mode);
  }

  #pruneByAge(nowMs: number): void {
    if (nowMs < this.#pruneByAgeAtMs) return;
    const before = nowMs - REFUSALS_KEPT_MS;
    const { changes: rows } = this.#statements.pruneOld.run(before);
    const { changes: counts } = this.#statements.pruneOldCounts.run(before);
    if (rows < PRUNED_AT_ONCE && counts < PRUNED_AT_ONCE) this.#pruneByAgeAtMs = nowMs + DAY_MS / 24;
  }
}
