import { sql } from "kysely";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { statusCodes } from "../../ledger/status-codes.ts";
import { storableName } from "../../ledger/storable-name.ts";
import { type FactSource, unlistedFacts } from "../fact-lists.ts";
import type { Page, Position } from "../page.ts";
import type { EventFilter, ListedEvent } from "../queries/event-queries.ts";
import { findListed, type SearchedList } from "./find-listed.ts";

interface Found {
  readonly seq: number;
  readonly created_at: number;
  readonly cost_microcents: number;
  readonly unpriced: number;
}

/** Each is a separate search. */
const MAX_SEARCHED_MODELS = 64;

type Conditions = readonly (readonly [FilterColumn, number])[];

type FilterColumn = "session" | "customer" | "agent" | "used_key" | "config_version" | "model" | "status";

/** Newest first. Found in the read model, returned from the ledger. */
export async function readEvents(
  db: ControlDb,
  engine: Engine,
  ledger: LedgerReader,
  scope: number,
  filter: EventFilter,
  limit: number,
  after?: Position,
): Promise<Page<ListedEvent>> {
  let found: readonly Found[] = [];
  // On several machines another control plane derives facts, from its own copy of the ledger: they may be ahead of this one.
  const newest = ledger.newestSeq();
  const searches = await resolve(db, scope, filter);
  for (const [index, conditions] of searches.entries()) {
    const search: Search = { scope, conditions, filter, newest, limit: limit + 1, after };
    const list = listOf(conditions);
    if (list === null) {
      found = [...found, ...(await findFacts(db, search, sql`facts`))];
      continue;
    }
    if (index === 0) found = await findUnlisted(db, engine, search, searches.length > 1);
    found = await findListed(db, engine, search, list, found, facts => findFacts(db, search, facts));
  }
  found = found.toSorted((a, b) => b.created_at - a.created_at || b.seq - a.seq);
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
 * several providers needs one search each: lists, and the index of a model's failed calls, are per model.
 */
async function resolve(db: ControlDb, scope: number, filter: EventFilter): Promise<Conditions[]> {
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
      AND id IN (SELECT model FROM rollup_days WHERE scope = ${scope} AND agent = 0)
    LIMIT ${MAX_SEARCHED_MODELS + 1}`.execute(db);
  // A provider with so many models has most of the calls: searching through all is as fast.
  if (models.length > MAX_SEARCHED_MODELS) return [[...conditions, ...status]];
  return models.map(({ id }) => [...conditions, ["model", id] as const, ...status]);
}

interface Search {
  readonly scope: number;
  readonly conditions: Conditions;
  readonly filter: EventFilter;
  readonly newest: number;
  readonly limit: number;
  readonly after: Position | undefined;
}

/** Several searches differ only in the model: one statement finds the unlisted calls of all, by the names. */
async function findUnlisted(
  db: ControlDb,
  engine: Engine,
  search: Search,
  isOfAllModels: boolean,
): Promise<readonly Found[]> {
  const conditions = search.conditions.filter(([column]) => !isOfAllModels || column !== "model");
  const matches = conditions.map(([column, value]) => sql`f.${sql.ref(column)} = ${value}`);
  const facts = unlistedFacts(engine, search.scope, sql.join([sql`true`, ...matches], sql` AND `));
  return findFacts(db, { ...search, conditions }, sql`(${facts})`);
}

async function findFacts(
  db: ControlDb,
  { scope, conditions, filter: { from, to, model, provider }, newest, limit, after }: Search,
  facts: FactSource,
): Promise<readonly Found[]> {
  let query = db
    .selectFrom(facts.as("facts"))
    .select(["seq", "created_at", "cost_microcents", "unpriced"])
    .where("scope", "=", scope)
    // Hidden from the planner, as below: where an index is searched, it has the order.
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

/** The columns of the index with the fewest surplus rows. Most conditions have lists instead. */
function searchedBy(conditions: Conditions): ReadonlySet<FilterColumn> {
  const first = conditions[0]?.[0];
  if (first === "session") return new Set([first]);
  // A customer's or config version's list has fewer calls than the index of all failed calls.
  if (!hasFailed(conditions) || first === "customer" || first === "config_version") return new Set();
  // Failed calls are rarer than the calls of a key.
  return new Set(first === "agent" || first === "model" ? [first, "status"] : ["status"]);
}

/** The list with the fewest surplus calls; null: an index finds fewer. */
function listOf(conditions: Conditions): SearchedList | null {
  const [first] = conditions;
  if (first === undefined || searchedBy(conditions).size > 0) return null;
  const [column, value] = first;
  if (column === "status" || column === "session") return null;
  const model = conditions.find(([name]) => name === "model")?.[1];
  return column === "agent" && model !== undefined
    ? { dimension: "agent_model", value, model }
    : { dimension: column, value, model: 0 };
}

function hasFailed(conditions: Conditions): boolean {
  return conditions.some(([column, value]) => column === "status" && value > 0);
}
