/**
 * Sums by group and by hour or day. A query is one statement, and therefore one snapshot: its groups and the rest
 * always add up to the total. Rollups serve what they have the dimensions for, and facts everything else.
 */
import { type CostKind, costKinds } from "@tollgate/core/money/cost-kinds";
import { type RawBuilder, sql } from "kysely";
import { costKindColumns } from "../database/cost-kind-columns.ts";
import type { ControlDb } from "../database/schema.ts";
import { sourceCodes } from "../ledger/source-codes.ts";
import { statusCodes } from "../ledger/status-codes.ts";
import { storableName } from "../ledger/storable-name.ts";
import type {
  Breakdown,
  BreakdownBucket,
  BreakdownFilter,
  BreakdownQuestion,
  CallDimension,
  CostKindBucket,
  RankedQuestion,
} from "./breakdown.ts";
import { isErrorSql } from "./is-error-sql.ts";
import type { Window } from "./queries.ts";
import { DAY_MS, HOUR_MS, subjectKinds, totalColumns } from "./rollup-sums.ts";
import { splitWindow } from "./split-window.ts";
import { sumOf } from "./sum-of.ts";

type Sql = RawBuilder<unknown>;

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

type Dimension = keyof ResolvedFilter;

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

export interface RankedRow extends Record<(typeof totalColumns)[number], number> {
  readonly previous: number;
  readonly at: number;
  /** null: all groups that are not shown one by one. */
  readonly grp: number | string | null;
  readonly rank: number | null;
  readonly group_count: number;
}

/**
 * Ranks the groups by whole days where possible, then reads hours or days of the shown ones only. The total is read
 * separately, from the table with the fewest sums; the difference to the shown groups belongs to the others.
 */
export function rankedRows(
  scope: number,
  question: RankedQuestion,
  filter: ResolvedFilter,
): RawBuilder<RankedRow> {
  const { groupBy, limit, offset, window, previous, interval } = question;
  const source = sourceOf(groupBy, filter, false);
  const sums = totalColumns.map(name => sumOf(sql.ref<number>(name)).as(name));
  const isShown = (group: Sql) => sql`AND ${group} IN (SELECT grp FROM shown)`;
  const reader: Reader = { scope, filter, columns: totalColumns, groupBy, source };
  const periods = [
    { whole: window, isPrevious: 0 as const },
    ...(previous ? [{ whole: previous, isPrevious: 1 as const }] : []),
  ];
  const everything =
    source === noSums
      ? periods.flatMap(({ whole, isPrevious }) => selects(reader, whole, interval, isPrevious))
      : [];
  // Facts are summed once, and everything else is derived from that.
  const parts = sql`parts AS (
      SELECT previous, at, grp, ${sql.join(sums)} FROM (${unionOf(everything, reader)}) AS pieces
      GROUP BY previous, at, grp
    ), `;
  const ofParts = (isPrevious: 0 | 1, isOfShown: boolean) => [
    sql`SELECT previous, at, grp, ${sql.join(totalColumns.map(name => sql.ref(name)))} FROM parts
      WHERE previous = ${sql.lit(isPrevious)} ${isOfShown ? isShown(sql.ref("grp")) : sql``}`,
  ];
  const hasParts = source === noSums;
  const toRank = hasParts ? ofParts(0, false) : selects(reader, window, "day", 0);
  const total: Reader = { ...reader, groupBy: null, source: sourceOf(null, filter, false) };
  const read = periods.flatMap(({ whole, isPrevious }) => {
    const shown = hasParts
      ? ofParts(isPrevious, true)
      : selects({ ...reader, restrict: isShown }, whole, isPrevious === 1 ? "day" : interval, isPrevious);
    const all = hasParts ? ofParts(isPrevious, false) : selects(total, whole, interval, isPrevious);
    const at = isPrevious === 1 ? sql`0` : sql.ref("at");
    return [
      sql`SELECT previous, ${at} AS at, grp, ${sql.join(sums)} FROM (${unionOf(shown, reader)}) AS s
        GROUP BY 1, 2, 3`,
      sql`SELECT previous, at, NULL AS grp, ${sql.join(sums)} FROM (${unionOf(all, total)}) AS t
        GROUP BY 1, 2`,
    ];
  });
  return sql`
    WITH ${hasParts ? parts : sql``} ranked AS (
      SELECT grp, row_number() OVER (ORDER BY sum(cost_microcents) DESC, sum(calls) DESC, grp) AS rank
      FROM (${unionOf(toRank, reader)}) AS groups GROUP BY grp HAVING sum(calls) > 0
    ), shown AS (
      SELECT grp, rank FROM ranked WHERE rank > ${offset} AND rank <= ${offset + limit}
    )
    SELECT a.*, s.rank, (SELECT count(*) FROM ranked) AS group_count
    FROM (${sql.join(read, sql` UNION ALL `)}) AS a LEFT JOIN shown AS s ON s.grp = a.grp`;
}

export type CostKindRow = Record<(typeof totalColumns)[number] | (typeof costKindColumns)[number], number> & {
  readonly previous: number;
  readonly at: number;
};

export function costKindRows(
  scope: number,
  { window, previous, interval }: BreakdownQuestion,
  filter: ResolvedFilter,
): RawBuilder<CostKindRow> {
  const columns = [...totalColumns, ...costKindColumns];
  const reader: Reader = { scope, filter, columns, groupBy: null, source: sourceOf(null, filter, true) };
  const parts = [
    ...selects(reader, window, interval, 0),
    ...(previous === undefined ? [] : selects(reader, previous, interval, 1)),
  ];
  const sums = columns.map(name => sumOf(sql.ref<number>(name)).as(name));
  return sql`
    SELECT previous, at, ${sql.join(sums)} FROM (${unionOf(parts, reader)}) AS pieces
    GROUP BY previous, at`;
}

/** The columns to read, and their source. */
interface Reader {
  readonly scope: number;
  readonly filter: ResolvedFilter;
  readonly columns: readonly string[];
  readonly groupBy: CallDimension | null;
  readonly source: Source;
  /** A condition on the group. */
  readonly restrict?: (group: Sql) => Sql;
}

/** The selects whose rows together are the calls of a window. */
function selects(reader: Reader, whole: Window, interval: "hour" | "day", isPrevious: 0 | 1): Sql[] {
  const { days, hours, moments } = piecesOf(whole, interval, reader.source !== noSums);
  const piece = (unit: "day" | "hour" | null, { from, to }: Window): Piece => ({
    ...reader,
    from,
    to,
    unit,
    bucketMs: interval === "hour" ? HOUR_MS : DAY_MS,
    isPrevious,
  });
  return [
    ...days.map(one => reader.source(piece("day", one))),
    ...hours.map(one => reader.source(piece("hour", one))),
    ...moments.map(one => facts(piece(null, one))),
  ];
}

/** An empty window has no parts, but a statement needs one. */
function unionOf(parts: readonly Sql[], reader: Reader): Sql {
  if (parts.length > 0) return sql.join(parts, sql` UNION ALL `);
  return facts({ ...reader, from: 0, to: 0, unit: null, bucketMs: DAY_MS, isPrevious: 0 });
}

interface Piece extends Reader, Window {
  /** The unit of the sums; null: facts. */
  readonly unit: "day" | "hour" | null;
  readonly bucketMs: number;
  readonly isPrevious: 0 | 1;
}

/** Reads a table of sums by hour or day. */
type Source = (piece: Piece) => Sql;

const noSums: Source = piece => facts(piece);

/** The sums that have all dimensions of a query, and as few others as possible. */
function sourceOf(groupBy: CallDimension | null, filter: ResolvedFilter, needsKinds: boolean): Source {
  const filtered = Object.keys(filter) as Dimension[];
  const needed = new Set<Dimension>([...filtered, ...(groupBy === null ? [] : [groupBy])]);
  const isWithin = (...dimensions: readonly Dimension[]) =>
    [...needed].every(dimension => dimensions.includes(dimension));
  if (isWithin("agent", "model", "provider")) return rollups(needed);
  if (needsKinds) return noSums;
  for (const kind of ["customer", "config_version", "used_key"] as const) {
    if (isWithin(kind)) return subjectSums(kind);
  }
  return noSums;
}

function piecesOf(window: Window, interval: "hour" | "day", hasSums: boolean) {
  if (!hasSums) return { days: [], hours: [], moments: window.from < window.to ? [window] : [] };
  const { days, hours, moments } = splitWindow(window);
  return interval === "day" ? { days, hours, moments } : { days: [], hours: [...days, ...hours], moments };
}

/** `rollup_hours` and `rollup_days`: by agent and model, with agent 0 for all agents and model 0 for all models. */
function rollups(needed: ReadonlySet<Dimension>): Source {
  const byAgent = needed.has("agent");
  const byModel = needed.has("model") || needed.has("provider");
  return piece => {
    const { groupBy, filter, scope } = piece;
    // Literals, and a list of agents, because the tables are read by their key and by an index on `model = 0`.
    const agents =
      filter.agent !== undefined
        ? sql`r.agent = ${filter.agent}`
        : !byAgent
          ? sql`r.agent = 0`
          : byModel
            ? sql`r.agent IN (SELECT id FROM agents WHERE scope = ${scope} UNION ALL SELECT -1)`
            : sql`r.agent <> 0`;
    const models = byModel || !byAgent ? sql`r.model > 0` : sql`r.model = 0`;
    const group =
      groupBy === null ? sql`0` : groupBy === "provider" ? sql`m.provider` : sql.ref(`r.${groupBy}`);
    return sql`SELECT ${bucketOf(piece, "r")}, ${group} AS grp, ${columnsOf(piece, "r")}
      FROM ${sql.table(`rollup_${piece.unit}s`)} AS r ${joinProvider(groupBy, "r")}
      WHERE r.scope = ${scope} AND ${agents} AND ${models} AND ${within(piece, "r")}
        ${ofModels(filter, "r")} ${piece.restrict?.(group) ?? sql``}`;
  };
}

/** Days of customers have their own table, ordered by customer. */
function subjectSums(kind: keyof typeof subjectKinds): Source {
  return piece => {
    const isOwn = kind === "customer" && piece.unit === "day";
    const subject = sql.ref(isOwn ? "s.customer" : "s.subject");
    const table = isOwn
      ? sql`customer_days AS s WHERE s.scope = ${piece.scope}`
      : sql`${sql.table(`subject_${piece.unit}s`)} AS s
        WHERE s.scope = ${piece.scope} AND s.kind = ${sql.lit(subjectKinds[kind])}`;
    const chosen = piece.filter[kind];
    const ofSubject = chosen === undefined ? sql`` : sql`AND ${subject} = ${chosen}`;
    const group = piece.groupBy === kind ? subject : sql`0`;
    return sql`SELECT ${bucketOf(piece, "s")}, ${group} AS grp, ${columnsOf(piece, "s")}
      FROM ${table} AND ${within(piece, "s")} ${ofSubject} ${piece.restrict?.(group) ?? sql``}`;
  };
}

const factDimensions = [
  "agent",
  "customer",
  "session",
  "config_version",
  "used_key",
  "status",
  "source",
] as const;

function facts(piece: Piece): Sql {
  const { filter, groupBy } = piece;
  const conditions = factDimensions.flatMap(dimension => {
    const value = filter[dimension];
    return value === undefined ? [] : [sql`AND ${sql.ref(`f.${dimension}`)} = ${value}`];
  });
  // Stated so that the partial index without successful calls can be used.
  const failed = filter.status !== undefined && filter.status > 0 ? sql`AND f.status > 0` : sql``;
  const group =
    groupBy === null
      ? sql`0`
      : groupBy === "provider"
        ? sql`m.provider`
        : sql`coalesce(${sql.ref(`f.${groupBy}`)}, 0)`;
  const values: Record<string, Sql> = {
    calls: sql`1`,
    errors: sql`CASE WHEN ${isErrorSql("f.status")} THEN 1 ELSE 0 END`,
    unpriced_calls: sql`f.unpriced`,
  };
  const columns = piece.columns.map(
    column => sql`${values[column] ?? sql.ref(`f.${column}`)} AS ${sql.ref(column)}`,
  );
  return sql`SELECT ${sql.lit(piece.isPrevious)} AS previous,
      f.created_at - f.created_at % ${sql.lit(piece.bucketMs)} AS at, ${group} AS grp, ${sql.join(columns)}
    FROM facts AS f ${joinProvider(groupBy, "f")}
    WHERE f.scope = ${piece.scope} AND f.created_at >= ${piece.from} AND f.created_at < ${piece.to}
      ${sql.join(conditions, sql` `)} ${failed} ${ofModels(filter, "f")} ${piece.restrict?.(group) ?? sql``}`;
}

function bucketOf({ isPrevious, bucketMs, unit }: Piece, table: string): Sql {
  const time = sql.ref(`${table}.${unit}`);
  return sql`${sql.lit(isPrevious)} AS previous, ${time} - ${time} % ${sql.lit(bucketMs)} AS at`;
}

function columnsOf({ columns }: Piece, table: string): Sql {
  return sql.join(columns.map(column => sql.ref(`${table}.${column}`)));
}

function within({ from, to, unit }: Piece, table: string): Sql {
  const time = sql.ref(`${table}.${unit}`);
  return sql`${time} >= ${from} AND ${time} < ${to}`;
}

function joinProvider(groupBy: CallDimension | null, table: string): Sql {
  return groupBy === "provider" ? sql`JOIN models AS m ON m.id = ${sql.ref(`${table}.model`)}` : sql``;
}

/** A model may be served by several providers. */
function ofModels({ model, provider }: ResolvedFilter, table: string): Sql {
  if (model === undefined && provider === undefined) return sql``;
  const names = [
    ...(model === undefined ? [] : [sql`model = ${model}`]),
    ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
  ];
  return sql`AND ${sql.ref(`${table}.model`)} IN (SELECT id FROM models WHERE ${sql.join(names, sql` AND `)})`;
}

export function toCostKindBuckets(rows: readonly CostKindRow[]): CostKindBucket[] {
  return rows.map(row => ({
    ...toBucket(row),
    // One entry for every kind.
    byKind: Object.fromEntries(costKinds.map(kind => [kind, row[`${kind}_microcents`]])) as Record<
      CostKind,
      number
    >,
  }));
}

/** Groups in the order of their rank, with the names of their ids. */
export async function toBreakdown(
  db: ControlDb,
  groupBy: CallDimension,
  rows: readonly RankedRow[],
): Promise<Breakdown> {
  const groups = new Map<number, { readonly id: number | string; readonly buckets: BreakdownBucket[] }>();
  const total: BreakdownBucket[] = [];
  for (const row of rows) {
    if (row.grp === null || row.rank === null) {
      total.push(toBucket(row));
      continue;
    }
    const rank = Number(row.rank);
    const group = groups.get(rank) ?? {
      id: groupBy === "provider" ? String(row.grp) : Number(row.grp),
      buckets: [],
    };
    group.buckets.push(toBucket(row));
    groups.set(rank, group);
  }
  const ranked = [...groups].toSorted(([a], [b]) => a - b).map(([, group]) => group);
  const names = await namesOf(
    db,
    groupBy,
    ranked.map(({ id }) => id),
  );
  return {
    groups: ranked.map(({ id, buckets }) => ({ ...(names.get(id) ?? { key: null, detail: null }), buckets })),
    total,
    groupCount: Number(rows[0]?.group_count ?? 0),
  };
}

function toBucket(
  row: { readonly previous: number; readonly at: number } & Record<(typeof totalColumns)[number], number>,
): BreakdownBucket {
  return {
    at: Number(row.at),
    isPrevious: Number(row.previous) === 1,
    calls: row.calls,
    errors: row.errors,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cost_microcents: row.cost_microcents,
    unpriced_calls: row.unpriced_calls,
  };
}

interface GroupName {
  readonly key: string | null;
  readonly detail: string | null;
}

async function namesOf(
  db: ControlDb,
  groupBy: CallDimension,
  ids: readonly (number | string)[],
): Promise<ReadonlyMap<number | string, GroupName>> {
  if (groupBy === "provider") return new Map(ids.map(id => [id, { key: String(id), detail: null }]));
  const known = ids.map(Number).filter(id => id > 0);
  if (known.length === 0) return new Map();
  const [table, key, detail] = namedIn[groupBy];
  const { rows } = await sql<{ id: number } & GroupName>`
    SELECT id, ${sql.ref(key)} AS "key", ${detail} AS detail FROM ${sql.table(table)}
    WHERE id IN (${sql.join(known)})`.execute(db);
  return new Map(rows.map(({ id, ...name }) => [Number(id), name]));
}

const namedIn = {
  agent: ["agents", "agent_id", sql.ref("agent_key")],
  model: ["models", "model", sql.ref("provider")],
  customer: ["customers", "customer_id", sql`NULL`],
  config_version: ["config_versions", "config_version", sql`NULL`],
  used_key: ["used_keys", "key_id", sql`NULL`],
} as const;
