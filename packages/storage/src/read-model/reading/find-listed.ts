import { sql } from "kysely";
import { listOfNumbers } from "../../database/list-of.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { type FactSource, listedDimensions, listedFacts, volumesWithLists } from "../fact-lists.ts";
import type { Position } from "../page.ts";
import type { Window } from "../window.ts";

/** `value` is an agent's number for `agent_model`, and `model` is 0 for all others. */
export interface SearchedList {
  readonly dimension: keyof typeof listedDimensions;
  readonly value: number;
  readonly model: number;
}

interface ListSearch {
  readonly scope: number;
  readonly filter: Partial<Window>;
  readonly limit: number;
  readonly after: Position | undefined;
}

/** A list without its facts. */
interface Head {
  readonly volume: number;
  readonly after_seq: number;
  readonly to_at: number;
  readonly calls: number;
}

const HEADS = 500;

/**
 * The newest facts that match: of a value's lists, and of those known before, which include the facts that are not listed
 * yet. They are read first, so that none is missed because it was listed in between. Segments overlap in time, because
 * calls are recorded when they end: a list is read unless enough facts newer than all of its calls are known.
 */
export async function findListed<Found extends { readonly seq: number; readonly created_at: number }>(
  db: ControlDb,
  engine: Engine,
  search: ListSearch,
  list: SearchedList,
  known: readonly Found[],
  find: (facts: FactSource) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const { scope, limit } = search;
  let found = known;
  let heads = await readHeads(db, search, list, null);
  // If little of a list matches, more is read at once.
  for (let calls = limit; heads.length > 0; calls *= 2) {
    const oldest = found[limit - 1];
    if (oldest !== undefined && oldest.created_at > (heads[0]?.to_at ?? 0)) break;
    const chosen = firstWith(heads, calls);
    const last = chosen.at(-1) ?? null;
    const volumes = listOfNumbers(engine, [...new Set(chosen.map(({ volume }) => volume))]);
    const segments = listOfNumbers(
      engine,
      chosen.map(({ after_seq }) => after_seq),
    );
    // A plus hides the column from the planner, which would otherwise look for every segment in every volume.
    const lists = sql`${isKeyOf(list)} AND v.volume IN ${volumes} AND +l.after_seq IN ${segments}`;
    const more = await find(sql`(${listedFacts(engine, scope, lists)})`);
    found = newestOf([...found, ...more], limit);
    heads = heads.slice(chosen.length);
    if (heads.length === 0) heads = await readHeads(db, search, list, last);
  }
  return found;
}

/** On PostgreSQL, facts may be listed between two statements, and are then found twice. */
function newestOf<Found extends { readonly seq: number; readonly created_at: number }>(
  facts: readonly Found[],
  limit: number,
): readonly Found[] {
  return [...new Map(facts.map(fact => [fact.seq, fact])).values()]
    .sort((a, b) => b.created_at - a.created_at || b.seq - a.seq)
    .slice(0, limit);
}

/** Newest first, after the last one read. */
async function readHeads(
  db: ControlDb,
  { scope, filter: { from, to }, after }: ListSearch,
  list: SearchedList,
  last: Head | null,
): Promise<Head[]> {
  const conditions = [
    ...(from === undefined ? [] : [sql`AND l.to_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`AND l.from_at < ${to}`]),
    ...(after === undefined ? [] : [sql`AND l.from_at <= ${after.at}`]),
    ...(last === null
      ? []
      : [sql`AND l.to_at <= ${last.to_at} AND (l.to_at < ${last.to_at} OR l.after_seq < ${last.after_seq})`]),
  ];
  const { rows } = await sql<Head>`
    SELECT l.volume, l.after_seq, l.to_at, l.calls FROM ${volumesWithLists}
    AND v.scope = ${scope} AND ${isKeyOf(list)} ${sql.join(conditions, sql` `)}
    ORDER BY l.to_at DESC, l.after_seq DESC LIMIT ${sql.lit(HEADS)}`.execute(db);
  return rows;
}

/** As many as have this number of calls, but at least one. */
function firstWith(heads: readonly Head[], calls: number): readonly Head[] {
  let sum = 0;
  const enough = heads.findIndex(head => {
    sum += head.calls;
    return sum >= calls;
  });
  return enough < 0 ? heads : heads.slice(0, enough + 1);
}

function isKeyOf({ dimension, value, model }: SearchedList) {
  return sql`l.dimension = ${sql.lit(listedDimensions[dimension])} AND l.value = ${value} AND l.model = ${model}`;
}
