import type { Database } from "bun:sqlite";

interface UnpricedModel {
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
}

/** Live calls since `since` that have usage and no price, among the newest events; most frequent model first. */
export function findUnpricedModels(database: Database, since: number, newestEvents: number): UnpricedModel[] {
  return database
    .query<UnpricedModel, [number, number]>(
      `SELECT provider, model, count(*) AS calls FROM events
       WHERE seq > (SELECT max(seq) FROM events) - ? AND created_at >= ?
         AND mode = 'live' AND cost_basis = 'unpriced' AND usage_source <> 'none'
       GROUP BY provider, model ORDER BY calls DESC, provider, model`,
    )
    .all(newestEvents, since);
}
