import { sql } from "kysely";
import type { ControlDb } from "../../database/schema.ts";
import { sourceCodes } from "../../ledger/source-codes.ts";
import { statusCodes } from "../../ledger/status-codes.ts";
import { storableName } from "../../ledger/storable-name.ts";
import type { BreakdownFilter } from "../breakdown.ts";

/** The filter with names replaced by ids; unknown names were handled before. */
export interface ResolvedFilter {
  readonly agent?: number;
  readonly model?: string;
  readonly provider?: string;
  readonly customer?: number;
  readonly session?: number;
  readonly config_version?: number;
  readonly used_key?: number;
  readonly status?: number;
  readonly source?: number;
}

export type Dimension = keyof ResolvedFilter;

/** null: a name is unknown, so nothing matches. */
export async function resolveFilter(
  db: ControlDb,
  scope: number,
  filter: BreakdownFilter,
): Promise<ResolvedFilter | null> {
  const resolved: { -readonly [name in Dimension]?: ResolvedFilter[name] } = {};
  const subjects = [
    ["agent", "agents", "agent_id", filter.agentId],
    ["customer", "customers", "customer_id", filter.customerId],
    ["session", "sessions", "session_id", filter.sessionId],
    ["config_version", "config_versions", "config_version", filter.configVersion],
    ["used_key", "used_keys", "key_id", filter.keyId],
  ] as const;
  for (const [dimension, table, key, name] of subjects) {
    if (name === undefined) continue;
    const { rows } = await sql<{ id: number }>`
      SELECT id FROM ${sql.table(table)} WHERE scope = ${scope} AND ${sql.ref(key)} = ${storableName(name)}`.execute(
      db,
    );
    const id = rows[0]?.id;
    if (id === undefined) return null;
    resolved[dimension] = id;
  }
  if (filter.model !== undefined) resolved.model = storableName(filter.model);
  if (filter.provider !== undefined) resolved.provider = storableName(filter.provider);
  if (filter.status !== undefined) resolved.status = statusCodes[filter.status];
  if (filter.source !== undefined) resolved.source = sourceCodes[filter.source];
  return resolved;
}
