/**
 * Sums by group and by hour or day. A query is one statement, and therefore one snapshot: its groups and the rest
 * always add up to the total.
 */
import { type CostKind, costKinds } from "@tollgate/core/money/cost-kinds";
import { type RawBuilder, sql } from "kysely";
import { type CostKindColumn, costKindColumns } from "../../database/cost-kind-columns.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import type {
  Breakdown,
  BreakdownBucket,
  BreakdownQuestion,
  CallDimension,
  CostKindBucket,
  CostsByKind,
  RankedQuestion,
} from "../breakdown.ts";
import { namesOf } from "../names-of.ts";
import { totalColumns } from "../rollup-sums.ts";
import { sumOf } from "../sum-of.ts";
import { type Period, selects, unionOf } from "./breakdown-selects.ts";
import { noSums, type Reader, type SumsChoice, sourceOf } from "./breakdown-sources.ts";
import type { ResolvedFilter } from "./resolve-filter.ts";

export interface RankedRow
  extends Record<(typeof totalColumns)[number], number>,
    Partial<Record<CostKindColumn, number>> {
  readonly previous: number;
  readonly at: number;
  /** null: all groups that are not shown one by one. */
  readonly grp: number | string | null;
  readonly rank: number | null;
  readonly group_count: number;
}

/**
 * Ranks the groups by whole weeks or days where possible, then reads hours or days of the shown ones only. The edges of the window
 * are read once for everything. The total is read from the table with the fewest sums; the difference to the shown groups
 * belongs to the others.
 */
export function rankedRows(
  engine: Engine,
  scope: number,
  question: RankedQuestion,
  filter: ResolvedFilter,
  areSumsFilled: boolean,
): RawBuilder<RankedRow> {
  const { groupBy, limit, offset, window, previous, interval, nowMs, withKinds = false } = question;
  const unit = interval === "hour" ? "hour" : "day";
  const columns = withKinds ? [...totalColumns, ...costKindColumns] : totalColumns;
  const choice: SumsChoice = { unit, needsKinds: withKinds, areSumsFilled };
  const source = sourceOf(groupBy, filter, choice);
  const reader: Reader = { engine, scope, filter, columns, groupBy, source };
  const total: Reader = {
    ...reader,
    groupBy: null,
    source: source === noSums ? noSums : sourceOf(null, filter, choice),
  };
  const shown: Reader = { ...reader, restrict: group => sql`AND ${group} IN (SELECT grp FROM shown)` };
  const current: Period = { window, isPrevious: 0, nowMs };
  const periods: readonly Period[] = previous
    ? [current, { window: previous, isPrevious: 1, nowMs }]
    : [current];
  // Facts are summed once for everything; of the previous period, only the shown groups and the total are needed.
  const edges = (source === noSums ? periods : [current]).flatMap(
    period => selects(reader, period, unit).edges,
  );
  const rowsOf = (from: Reader, period: Period, by: "hour" | "day" | "week") => {
    const { isPrevious } = period;
    const own = selects(from, period, by);
    // The union of nothing is a select, too.
    const isSameEdge = by === unit || (by === "week" && unit === "day");
    const isRead = source === noSums || (isSameEdge && isPrevious === 0);
    if (!isRead) return [unionOf([...own.units, ...own.edges], from)];
    const group = from.groupBy === null ? sql`0` : sql.ref("grp");
    const read = sql`SELECT previous, at, ${group} AS grp, ${namesOf(from.columns)} FROM edges
      WHERE previous = ${sql.lit(isPrevious)} ${from.restrict?.(sql.ref("grp")) ?? sql``}`;
    return [...own.units, read];
  };
  // Each table is summed by itself, in the order of its keys: all of their rows together would have to be sorted.
  const ranking: Reader = {
    ...reader,
    columns: interval === "none" ? columns : ["calls", "cost_microcents"],
  };
  const toRank = rowsOf(ranking, current, "week").map(
    rows => sql`SELECT grp, ${sumsOf(ranking.columns)} FROM (${rows}) AS r GROUP BY grp`,
  );
  const at = (isOneSum: boolean) => (isOneSum ? sql`0` : sql.ref("at"));
  const names = namesOf(columns);
  const sums = sumsOf(columns);
  const read = periods.flatMap(period => {
    const isOneSum = period.isPrevious === 1 || interval === "none";
    return [
      interval === "none" && period === current
        ? sql`SELECT 0 AS previous, 0 AS at, grp, ${names} FROM ranked WHERE grp IN (SELECT grp FROM shown)`
        : sql`SELECT previous, ${at(isOneSum)} AS at, grp, ${sums}
            FROM (${unionOf(rowsOf(shown, period, period === current ? unit : "day"), shown)}) AS s
            GROUP BY 1, 2, 3`,
      sql`SELECT previous, ${at(interval === "none")} AS at, NULL AS grp, ${sums}
        FROM (${unionOf(rowsOf(total, period, unit), total)}) AS t GROUP BY 1, 2`,
    ];
  });
  return sql`
    WITH edges AS MATERIALIZED (
      SELECT previous, ${at(interval === "none")} AS at, grp, ${sums} FROM (${unionOf(edges, reader)}) AS e
      GROUP BY 1, 2, 3
    ), ranked AS MATERIALIZED (
      SELECT grp, ${interval === "none" ? sql`${sums},` : sql``}
        row_number() OVER (ORDER BY sum(cost_microcents) DESC, sum(calls) DESC, grp) AS rank
      FROM (${sql.join(toRank, sql` UNION ALL `)}) AS groups GROUP BY grp HAVING sum(calls) > 0
    ), shown AS (
      SELECT grp, rank FROM ranked WHERE rank > ${offset} AND rank <= ${offset + limit}
    )
    SELECT a.*, s.rank, (SELECT count(*) FROM ranked) AS group_count
    FROM (${sql.join(read, sql` UNION ALL `)}) AS a LEFT JOIN shown AS s ON s.grp = a.grp`;
}

const sumsOf = (columns: readonly string[]) =>
  sql.join(columns.map(name => sumOf(sql.ref<number>(name)).as(name)));

export type CostKindRow = Record<(typeof totalColumns)[number] | (typeof costKindColumns)[number], number> & {
  readonly previous: number;
  readonly at: number;
};

export function costKindRows(
  engine: Engine,
  scope: number,
  { window, previous, interval, nowMs }: BreakdownQuestion,
  filter: ResolvedFilter,
): RawBuilder<CostKindRow> {
  const columns = [...totalColumns, ...costKindColumns];
  const choice: SumsChoice = { unit: "day", needsKinds: true, areSumsFilled: false };
  const reader: Reader = {
    engine,
    scope,
    filter,
    columns,
    groupBy: null,
    source: sourceOf(null, filter, choice),
  };
  const parts = [
    selects(reader, { window, isPrevious: 0, nowMs }, interval),
    ...(previous === undefined
      ? []
      : [selects(reader, { window: previous, isPrevious: 1, nowMs }, interval)]),
  ].flatMap(({ units, edges }) => [...units, ...edges]);
  const at = interval === "none" ? sql`0` : sql.ref("at");
  const sums = columns.map(name => sumOf(sql.ref<number>(name)).as(name));
  return sql`
    SELECT previous, ${at} AS at, ${sql.join(sums)} FROM (${unionOf(parts, reader)}) AS pieces
    GROUP BY 1, 2`;
}

export function toCostKindBuckets(rows: readonly CostKindRow[]): CostKindBucket[] {
  return rows.map(row => ({
    ...toBucket(row),
    byKind: sumByKind([row]),
  }));
}

function sumByKind(rows: readonly Partial<Record<CostKindColumn, number>>[]): CostsByKind {
  const costOf = (kind: CostKind) => rows.reduce((sum, row) => sum + (row[`${kind}_microcents`] ?? 0), 0);
  // One entry for every kind.
  return Object.fromEntries(costKinds.map(kind => [kind, costOf(kind)])) as Record<CostKind, number>;
}

/** Groups in the order of their rank, with the names of their ids. */
export async function toBreakdown(
  db: ControlDb,
  { groupBy, withKinds = false }: Pick<RankedQuestion, "groupBy" | "withKinds">,
  rows: readonly RankedRow[],
): Promise<Breakdown> {
  const groups = new Map<number, { readonly id: number | string; readonly rows: RankedRow[] }>();
  const total: BreakdownBucket[] = [];
  for (const row of rows) {
    if (row.grp === null || row.rank === null) {
      total.push(toBucket(row));
      continue;
    }
    const rank = Number(row.rank);
    const group = groups.get(rank) ?? {
      id: groupBy === "provider" ? String(row.grp) : Number(row.grp),
      rows: [],
    };
    group.rows.push(row);
    groups.set(rank, group);
  }
  const ranked = [...groups].toSorted(([a], [b]) => a - b).map(([, group]) => group);
  const names = await groupNames(
    db,
    groupBy,
    ranked.map(({ id }) => id),
  );
  return {
    groups: ranked.map(({ id, rows: own }) => ({
      ...(names.get(id) ?? { key: null, detail: null }),
      buckets: own.map(toBucket),
      byKind: withKinds ? sumByKind(own.filter(({ previous }) => Number(previous) === 0)) : null,
    })),
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

async function groupNames(
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
