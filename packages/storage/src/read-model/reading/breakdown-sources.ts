/** Where a breakdown's rows come from: tables of sums, and facts for everything else. */
import { type RawBuilder, sql } from "kysely";
import type { Engine } from "../../database/open-control-database.ts";
import type { CallDimension } from "../breakdown.ts";
import { factsWith } from "../fact-lists.ts";
import { isErrorSql } from "../is-error-sql.ts";
import { subjectKinds } from "../rollup-sums.ts";
import type { Window } from "../window.ts";
import type { Dimension, ResolvedFilter } from "./resolve-filter.ts";

export type Sql = RawBuilder<unknown>;

/** The columns to read, and their source. */
export interface Reader {
  readonly engine: Engine;
  readonly scope: number;
  readonly filter: ResolvedFilter;
  readonly columns: readonly string[];
  readonly groupBy: CallDimension | null;
  readonly source: Source;
  /** A condition on the group. */
  readonly restrict?: (group: Sql) => Sql;
}

export interface Piece extends Reader, Window {
  /** The unit of the sums; null: facts. */
  readonly unit: Unit | null;
  /** -1: to be subtracted. */
  readonly sign: 1 | -1;
  readonly bucketMs: number;
  readonly isPrevious: 0 | 1;
}

export type Unit = "week" | "day" | "hour";

/** Reads tables of sums by hour and day. */
export interface Source {
  readonly hasWeeks: boolean;
  readonly select: (piece: Piece) => Sql;
}

export const noSums: Source = { hasWeeks: false, select: piece => facts(piece) };

export interface SumsChoice {
  readonly unit: "hour" | "day";
  readonly needsKinds: boolean;
  /** false: those of weeks and of agents' versions are not complete yet. */
  readonly areSumsFilled: boolean;
}

/** The sums that have all dimensions of a query, and as few others as possible. */
export function sourceOf(
  groupBy: CallDimension | null,
  filter: ResolvedFilter,
  { unit, needsKinds, areSumsFilled }: SumsChoice,
): Source {
  const filtered = Object.keys(filter) as Dimension[];
  const needed = new Set<Dimension>([...filtered, ...(groupBy === null ? [] : [groupBy])]);
  const isWithin = (...dimensions: readonly Dimension[]) =>
    [...needed].every(dimension => dimensions.includes(dimension));
  if (isWithin("agent", "model", "provider")) return rollups(needed);
  if (needsKinds) return noSums;
  for (const kind of ["customer", "config_version", "used_key"] as const) {
    if (isWithin(kind)) return subjectSums(kind, areSumsFilled);
  }
  if (areSumsFilled && unit === "day" && filter.agent !== undefined && isWithin("agent", "config_version"))
    return agentVersions;
  return noSums;
}

/** `rollup_hours` and `rollup_days`: by agent and model, with agent 0 for all agents and model 0 for all models. */
function rollups(needed: ReadonlySet<Dimension>): Source {
  const byAgent = needed.has("agent");
  const byModel = needed.has("model") || needed.has("provider");
  const select = (piece: Piece) => {
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
  return { hasWeeks: false, select };
}

/** Days and weeks of customers have their own tables, ordered by customer. */
function subjectSums(kind: keyof typeof subjectKinds, areSumsFilled: boolean): Source {
  const select = (piece: Piece) => {
    const isOwn = kind === "customer" && piece.unit !== "hour";
    const subject = sql.ref(isOwn ? "s.customer" : "s.subject");
    const table = isOwn
      ? sql`${sql.table(`customer_${piece.unit}s`)} AS s WHERE s.scope = ${piece.scope}`
      : sql`${sql.table(`subject_${piece.unit}s`)} AS s
        WHERE s.scope = ${piece.scope} AND s.kind = ${sql.lit(subjectKinds[kind])}`;
    const chosen = piece.filter[kind];
    const ofSubject = chosen === undefined ? sql`` : sql`AND ${subject} = ${chosen}`;
    const group = piece.groupBy === kind ? subject : sql`0`;
    return sql`SELECT ${bucketOf(piece, "s")}, ${group} AS grp, ${columnsOf(piece, "s")}
      FROM ${table} AND ${within(piece, "s")} ${ofSubject} ${piece.restrict?.(group) ?? sql``}`;
  };
  return { hasWeeks: kind === "customer" && areSumsFilled, select };
}

/** The versions of one agent. There are sums of days only: a part of a day is read from facts. */
const agentVersions: Source = { hasWeeks: false, select: selectVersions };

function selectVersions(piece: Piece): Sql {
  if (piece.unit !== "day") return facts(piece);
  const { groupBy, filter, scope } = piece;
  const version = sql.ref("v.config_version");
  const group = groupBy === "config_version" ? version : groupBy === "agent" ? sql.ref("v.agent") : sql`0`;
  const ofVersion =
    filter.config_version === undefined ? sql`` : sql`AND ${version} = ${filter.config_version}`;
  return sql`SELECT ${bucketOf(piece, "v")}, ${group} AS grp, ${columnsOf(piece, "v")}
    FROM agent_version_days AS v
    WHERE v.scope = ${scope} AND v.agent = ${filter.agent} AND ${within(piece, "v")} ${ofVersion}
      ${piece.restrict?.(group) ?? sql``}`;
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

export function facts(piece: Piece): Sql {
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
    column => sql`${signed(piece, values[column] ?? sql.ref(`f.${column}`))} AS ${sql.ref(column)}`,
  );
  return sql`SELECT ${sql.lit(piece.isPrevious)} AS previous,
      f.created_at - f.created_at % ${sql.lit(piece.bucketMs)} AS at, ${group} AS grp, ${sql.join(columns)}
    FROM ${sourceOfFacts(piece)} AS f ${joinProvider(groupBy, "f")}
    WHERE f.scope = ${piece.scope} AND f.created_at >= ${piece.from} AND f.created_at < ${piece.to}
      ${sql.join(conditions, sql` `)} ${failed} ${ofModels(filter, "f")} ${piece.restrict?.(group) ?? sql``}`;
}

/** By the list of the rarest value. Sessions have an index, and failed calls, which are rarer than those of an agent. */
function sourceOfFacts({ engine, scope, filter, from, to }: Piece): Sql {
  const { session, status = 0 } = filter;
  if (session !== undefined) return sql`facts`;
  const listed = status > 0 ? rareColumns : listedColumns;
  const column = listed.find(name => filter[name] !== undefined);
  if (column !== undefined) return factsWith(engine, scope, column, sql`= ${filter[column]}`, { from, to });
  const named = status > 0 ? null : modelsNamed(filter);
  return named === null ? sql`facts` : factsWith(engine, scope, "model", named, { from, to });
}

const rareColumns = ["customer", "config_version"] as const;
const listedColumns = ["customer", "agent", "config_version", "used_key"] as const;

function bucketOf({ isPrevious, bucketMs, unit }: Piece, table: string): Sql {
  const time = sql.ref(`${table}.${unit}`);
  return sql`${sql.lit(isPrevious)} AS previous, ${time} - ${time} % ${sql.lit(bucketMs)} AS at`;
}

function columnsOf(piece: Piece, table: string): Sql {
  return sql.join(
    piece.columns.map(column => sql`${signed(piece, sql.ref(`${table}.${column}`))} AS ${sql.ref(column)}`),
  );
}

function signed({ sign }: Piece, value: Sql): Sql {
  return sign === 1 ? value : sql`-(${value})`;
}

function within({ from, to, unit }: Piece, table: string): Sql {
  const time = sql.ref(`${table}.${unit}`);
  return sql`${time} >= ${from} AND ${time} < ${to}`;
}

function joinProvider(groupBy: CallDimension | null, table: string): Sql {
  return groupBy === "provider" ? sql`JOIN models AS m ON m.id = ${sql.ref(`${table}.model`)}` : sql``;
}

function ofModels(filter: ResolvedFilter, table: string): Sql {
  const named = modelsNamed(filter);
  return named === null ? sql`` : sql`AND ${sql.ref(`${table}.model`)} ${named}`;
}

/** A model may be served by several providers. null: all models. */
function modelsNamed({ model, provider }: ResolvedFilter): Sql | null {
  if (model === undefined && provider === undefined) return null;
  const names = [
    ...(model === undefined ? [] : [sql`model = ${model}`]),
    ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
  ];
  return sql`IN (SELECT id FROM models WHERE ${sql.join(names, sql` AND `)})`;
}
