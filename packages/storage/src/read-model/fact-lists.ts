/**
 * Finds facts by agent, model, customer, config version or key. Maintaining an index entry for each fact and dimension took
 * longer than everything else. Instead, once a segment, some thousand facts in the order of `seq`, is complete, one row is
 * written for each value that occurs in it. Facts after the last segment are scanned. The lists of several segments, a
 * volume, are adjacent in the file; otherwise each list would be written to a page of its own.
 */
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Engine } from "../database/open-control-database.ts";
import type { ControlSchema } from "../database/schema.ts";
import type { Window } from "./window.ts";

/** The encoding of `fact_lists.dimension`, stored permanently. */
export const listedDimensions = {
  agent: 1,
  model: 2,
  agent_model: 3,
  customer: 4,
  config_version: 5,
  used_key: 6,
} as const;

/** The `seq` up to which facts are listed: the end of a segment. */
export const LISTS_CURSOR = "read-model:lists";

export const listedUpTo = sql<number>`(SELECT coalesce(max(position), 0) FROM cursors WHERE reader = ${sql.lit(LISTS_CURSOR)})`;

/** More than can be unlisted: only makes the range finite. */
const MAX_UNLISTED_SEQS = 1_000_000_000_000;

type Fact = Selectable<ControlSchema["facts"]>;

/** A source of facts for a query, in place of the table. */
export type FactSource = RawBuilder<Fact>;

/** The facts whose column has a value, in a window. `is` follows the column's name: `= 5`, or `IN (…)`. */
export function factsWith(
  engine: Engine,
  scope: number,
  column: Exclude<keyof typeof listedDimensions, "agent_model">,
  is: RawBuilder<unknown>,
  { from, to }: Partial<Window> = {},
): FactSource {
  const overlaps = (
    table: string,
  ) => sql`${from === undefined ? sql`` : sql`AND ${sql.ref(`${table}.to_at`)} >= ${from}`}
    ${to === undefined ? sql`` : sql`AND ${sql.ref(`${table}.from_at`)} < ${to}`}`;
  const lists = sql`l.dimension = ${sql.lit(listedDimensions[column])} AND l.value ${is} AND l.model = 0
    ${overlaps("v")} ${overlaps("l")}`;
  return sql<Fact>`(${unlistedFacts(engine, scope, sql`f.${sql.ref(column)} ${is}`)} UNION ALL ${listedFacts(engine, scope, lists)})`;
}

/** Agent 0: all agents. */
export function factsOfAgent(engine: Engine, scope: number, agent: number, window: Window): FactSource {
  return agent === 0 ? sql<Fact>`facts` : factsWith(engine, scope, "agent", sql`= ${agent}`, window);
}

/** The facts after the last segment. */
export function unlistedFacts(engine: Engine, scope: number, condition: RawBuilder<unknown>): FactSource {
  // By seq. SQLite, which has no statistics here, would search the index by time, however long the window.
  if (engine === "sqlite") {
    return sql<Fact>`SELECT f.* FROM facts AS f NOT INDEXED
      WHERE f.seq > ${listedUpTo} AND f.scope = ${scope} AND ${condition}`;
  }
  // PostgreSQL takes a third of the table to be after an unknown seq, but little to be between two. The offset keeps the
  // query's order and window out: for them it would search the index by time, back to the first call.
  return sql<Fact>`SELECT f.* FROM (SELECT f.* FROM facts AS f
    WHERE f.seq > ${listedUpTo} AND f.seq < ${listedUpTo} + ${sql.lit(MAX_UNLISTED_SEQS)}
      AND f.scope = ${scope} AND ${condition} OFFSET 0) AS f`;
}

/** The facts in some lists, `l`, of volumes, `v`. */
export function listedFacts(engine: Engine, scope: number, lists: RawBuilder<unknown>): FactSource {
  if (engine === "sqlite") {
    return sql<Fact>`SELECT f.* FROM ${listsWithFacts(engine)} AND v.scope = ${scope} AND ${lists}`;
  }
  // The offsets make PostgreSQL read the lists first, and then each fact by its seq.
  return sql<Fact>`SELECT f.* FROM (
      SELECT l.after_seq + o.value AS seq, l.from_at, l.to_at
      FROM fact_volumes AS v CROSS JOIN fact_lists AS l CROSS JOIN ${offsetsOf(engine)}
      WHERE l.volume = v.volume AND l.scope = v.scope AND v.scope = ${scope} AND ${lists} OFFSET 0
    ) AS listed CROSS JOIN LATERAL (
      SELECT f.* FROM facts AS f WHERE f.seq = listed.seq AND f.scope = ${scope}
        AND f.created_at >= listed.from_at AND f.created_at <= listed.to_at OFFSET 0
    ) AS f`;
}

/** All volumes, `v`, and lists, `l`. More conditions may follow. */
export const volumesWithLists = sql`fact_volumes AS v CROSS JOIN fact_lists AS l
  WHERE l.volume = v.volume AND l.scope = v.scope`;

/** The same with the facts, `f`, in them. Written so that SQLite keeps this order; PostgreSQL needs the times to skip partitions. */
export function listsWithFacts(engine: Engine): RawBuilder<unknown> {
  return sql`fact_volumes AS v CROSS JOIN fact_lists AS l CROSS JOIN ${offsetsOf(engine)} CROSS JOIN facts AS f
    WHERE l.volume = v.volume AND l.scope = v.scope AND f.seq = l.after_seq + o.value
      AND f.created_at >= l.from_at AND f.created_at <= l.to_at`;
}

/**
 * The places, `o.value`, in each list. PostgreSQL estimates 10 elements for an array, 100 for JSON: with JSON and several
 * partitions it would compile (`jit`) even a query of a few lists, which takes longer than running it.
 */
function offsetsOf(engine: Engine): RawBuilder<unknown> {
  return engine === "sqlite"
    ? sql`json_each(l.offsets) AS o`
    : sql`LATERAL unnest(CAST(translate(l.offsets, '[]', '{}') AS BIGINT[])) AS o(value)`;
}
