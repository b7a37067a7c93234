import { sql } from "kysely";
import type { ControlDb } from "../../database/schema.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { statusCodes } from "../../ledger/status-codes.ts";
import { storableName } from "../../ledger/storable-name.ts";
import type { Page, Position } from "../page.ts";
import type { EventFilter, ListedEvent } from "../queries/event-queries.ts";

interface Found {
  readonly seq: number;
  readonly created_at: number;
  readonly cost_microcents: number;
  readonly unpriced: number;
}

/** Each is a separate search. */
const MAX_SEARCHED_MODELS = 64;

type FilterColumn = "session" | "customer" | "agent" | "used_key" | "config_version" | "model" | "status";

/** Newest first. Found in the read model, returned from the ledger. */
export async function readEvents(
  db: ControlDb,
  ledger: LedgerReader,
  scope: number,
  filter: EventFilter,
  limit: number,
  after?: Position,
): Promise<Page<ListedEvent>> {
  const found: Found[] = [];
  // On several machines another control plane derives facts, from its own copy of the ledger: they may be ahead of this one.
  const newest = ledger.newestSeq();
  for (const conditions of await resolve(db, scope, filter)) {
    found.push(...(await findFacts(db, scope, conditions, filter, newest, limit + 1, after)));
  }
  found.sort((a, b) => b.created_at - a.created_at || b.seq - a.seq);
  const shown = found.slice(0, limit);
  const events = new Map(ledger.bySeqs(shown.map(({ seq }) => seq)).map(({ seq, event }) => [seq, event]));
  const rows: ListedEvent[] = [];
  for (const { seq, created_at, cost_microcents, unpriced } of shown) {
    const event = events.get(seq);
    if (event === undefined) throw new Error(`event ${seq} is not in the ledger`);
    rows.push({
      position: { at: created_at, seq },
      event,
      adjustment_microcents: cost_microcents - event.cost_microcents,
      is_unpriced: unpriced === 1,
    });
  }
  return { rows, next: found.length > limit ? (rows.at(-1)?.position ?? null) : null };
}

/**
 * Ids for the names, most selective first; empty if a name is unknown, because then nothing matches. A model served by
 * several providers needs one search each: a single search follows an index's order, a combined one would have to be
 * sorted.
 */
async function resolve(
  db: ControlDb,
  scope: number,
  filter: EventFilter,
): Promise<readonly (readonly [FilterColumn, number])[][]> {
  const conditions: (readonly [FilterColumn, number])[] = [];
  const subjects = [
    ["session", "sessions", "session_id", filter.sessionId],
    ["customer", "customers", "customer_id", filter.customerId],
    ["agent", "agents", "agent_key", filter.agentKey],
    ["config_version", "config_versions", "config_version", filter.configVersion],
    ["used_key", "used_keys", "key_id", filter.keyId],
  ] as const;
  for (const [column, table, key, value] of subjects) {
    if (value === undefined) continue;
    const { rows } = await sql<{ id: number }>`
      SELECT id FROM ${sql.table(table)} WHERE scope = ${scope} AND ${sql.ref(key)} = ${storableName(value)}`.execute(
      db,
    );
    const id = rows[0]?.id;
    if (id === undefined) return [];
    conditions.push([column, id]);
  }
  const status = filter.status === undefined ? [] : ([["status", statusCodes[filter.status]]] as const);
  if (filter.model === undefined && filter.provider === undefined) return [[...conditions, ...status]];
  const isModel = filter.model === undefined ? sql`true` : sql`model = ${storableName(filter.model)}`;
  const isProvider =
    filter.provider === undefined ? sql`true` : sql`provider = ${storableName(filter.provider)}`;
  // Only models that this organization has called: anyone can send telemetry with an invented provider.
  const { rows: models } = await sql<{ id: number }>`
    SELECT id FROM models WHERE ${isModel} AND ${isProvider}
      AND EXISTS (SELECT 1 FROM facts WHERE facts.scope = ${scope} AND facts.model = models.id)
    LIMIT ${MAX_SEARCHED_MODELS + 1}`.execute(db);
  // A provider with so many models has most of the calls: searching through all is as fast.
  if (models.length > MAX_SEARCHED_MODELS) return [[...conditions, ...status]];
  return models.map(({ id }) => [...conditions, ["model", id] as const, ...status]);
}

async function findFacts(
  db: ControlDb,
  scope: number,
  conditions: readonly (readonly [FilterColumn, number])[],
  { from, to, model, provider }: EventFilter,
  newest: number,
  limit: number,
  after?: Position,
): Promise<readonly Found[]> {
  let query = db
    .selectFrom("facts")
    .select(["seq", "created_at", "cost_microcents", "unpriced"])
    .where("scope", "=", scope)
    // Hidden from the planner, as below: the index of the filter has the order.
    .where(sql<number>`+seq`, "<=", newest)
    .orderBy("created_at", "desc")
    .orderBy("seq", "desc")
    .limit(limit);
  const searched = searchedBy(conditions);
  for (const [column, value] of conditions) {
    // A plus hides a column from the planner, so that neither engine prefers its index.
    const operand = searched.has(column) ? sql.ref<number>(column) : sql<number>`+${sql.ref(column)}`;
    query = query.where(operand, "=", value);
  }
  // Stated so that the partial indexes without successful calls can be used.
  if (searched.has("status")) query = query.where(sql<boolean>`status > 0`);
  if (!conditions.some(([column]) => column === "model")) {
    const named = db.selectFrom("models").select("id");
    if (model !== undefined)
      query = query.where("model", "in", named.where("model", "=", storableName(model)));
    if (provider !== undefined)
      query = query.where("model", "in", named.where("provider", "=", storableName(provider)));
  }
  if (from !== undefined) query = query.where("created_at", ">=", from);
  if (to !== undefined) query = query.where("created_at", "<", to);
  if (after !== undefined) {
    query = query
      .where("created_at", "<=", after.at)
      .where(({ eb, or }) => or([eb("created_at", "<", after.at), eb("seq", "<", after.seq)]));
  }
  return query.execute();
}

/** The columns of the index with the fewest surplus rows: one condition, or two that share an index. */
function searchedBy(conditions: readonly (readonly [FilterColumn, number])[]): ReadonlySet<FilterColumn> {
  const first = conditions[0];
  if (first === undefined) return new Set();
  const hasFailed = conditions.some(([column, value]) => column === "status" && value > 0);
  const isSuccess = first[0] === "status" && !hasFailed;
  if (isSuccess) return new Set();
  // Failed calls are rarer than the calls of a key.
  if (hasFailed && first[0] === "used_key") return new Set(["status"]);
  if (hasFailed && (first[0] === "agent" || first[0] === "model")) return new Set([first[0], "status"]);
  if (first[0] === "agent" && conditions.some(([column]) => column === "model"))
    return new Set(["agent", "model"]);
  return new Set([first[0]]);
}
