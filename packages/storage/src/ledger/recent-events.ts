import type { Database } from "bun:sqlite";
import type { Event, Mode } from "@tollgate/core/event";

/** Reads the end of the ledger, so that startup need not scan all of it. */

export interface RecentCall {
  readonly org_id: string;
  readonly mode: Mode;
  readonly created_at: number;
}

export interface RecentAnswer {
  readonly agent_key: string;
  readonly model: string;
  readonly output_tokens: number;
}

/** How long an answer was and how long it took. */
export type RecentPace = Pick<
  Event,
  "org_id" | "mode" | "status" | "usage_source" | "provider" | "model" | "output_tokens" | "latency_ms"
>;

/** Admission times since `since`, oldest first. */
export function readRecentCalls(database: Database, since: number): RecentCall[] {
  // Newest events first: page back until a whole page is older. The order is that of settlement, not admission, but a
  // page is far larger than the number of calls in flight.
  const page = database.query<RecentCall & { seq: number; source: string }, [number]>(
    "SELECT seq, org_id, mode, source, created_at FROM events WHERE seq < ? ORDER BY seq DESC LIMIT 10000",
  );
  const recent: RecentCall[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = page.all(before);
    const found = rows.filter(row => row.created_at > since && row.source === "gateway");
    if (found.length === 0) return recent.sort((a, b) => a.created_at - b.created_at);
    for (const { org_id, mode, created_at } of found) recent.push({ org_id, mode, created_at });
    before = rows.at(-1)?.seq ?? 0;
  }
}

/** Output lengths of an organization's complete answers among the newest events, oldest first. */
export function readRecentAnswers(database: Database, orgId: string, mode: Mode): RecentAnswer[] {
  return database
    .query<RecentAnswer, [string, string]>(
      `SELECT agent_key, model, output_tokens
       FROM (SELECT seq, org_id, mode, source, status, agent_key, model, output_tokens
             FROM events ORDER BY seq DESC LIMIT 5000)
       WHERE org_id = ? AND mode = ? AND status = 'success' AND source = 'gateway' ORDER BY seq`,
    )
    .all(orgId, mode);
}

/**
 * Calls of the gateway among the newest events, oldest first. Streamed ones are excluded: their duration may include
 * a client that read slowly.
 */
export function readRecentPaces(database: Database): RecentPace[] {
  return database
    .query<RecentPace, []>(
      `SELECT org_id, mode, status, usage_source, provider, model, output_tokens, latency_ms
       FROM (SELECT * FROM events ORDER BY seq DESC LIMIT 2000) WHERE source = 'gateway' AND stream = 0 ORDER BY seq`,
    )
    .all();
}
