import { type Selectable, sql } from "kysely";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb, ControlSchema } from "../../database/schema.ts";
import { type Upsert, upsertRows } from "../../database/upsert-rows.ts";
import { pauseIfDue } from "../../engine/next-turn.ts";
import { beginPosition, movePosition, readPosition } from "../../following/stored-position.ts";
import { LISTS_CURSOR, listedDimensions } from "../fact-lists.ts";

type Fact = Pick<
  Selectable<ControlSchema["facts"]>,
  "seq" | "scope" | "created_at" | "agent" | "model" | "customer" | "config_version" | "used_key"
>;

/** Larger segments have fewer and longer lists, but leave more facts to search one by one. */
const SEGMENT_EVENTS = 16_384;
/** Larger volumes make lists spread over more pages, smaller ones make searches look in more places. */
const VOLUME_SEGMENTS = 16;
/** Read without a break for other work. */
const FACTS_AT_ONCE = 4096;

export interface ListingOptions {
  readonly segmentEvents?: number;
  readonly volumeSegments?: number;
}

interface Listed {
  /** Up to here all facts are listed now. */
  readonly listedSeq: number;
  /** The end of the next segment. */
  readonly due: number;
  readonly isMore: boolean;
}

/** Lists the facts of the next segment, if the read model contains all of it. */
export async function listFacts(
  db: ControlDb,
  engine: Engine,
  derivedSeq: number,
  { segmentEvents = SEGMENT_EVENTS, volumeSegments = VOLUME_SEGMENTS }: ListingOptions = {},
): Promise<Listed> {
  const after = await listedSeq(db, derivedSeq);
  const upTo = after + segmentEvents;
  if (upTo > derivedSeq) return { listedSeq: after, due: upTo, isMore: false };
  const last = await volumeAfter(db, null, "max");
  const isFull = last === null || after - last >= segmentEvents * volumeSegments;
  await listSegment(db, engine, isFull ? after : last, after, upTo);
  await movePosition(db, LISTS_CURSOR, { seq: upTo, eventId: null });
  return { listedSeq: upTo, due: upTo + segmentEvents, isMore: upTo + segmentEvents <= derivedSeq };
}

/** At first, before the oldest fact: retention may have removed those before it. Without any, all are still to come. */
async function listedSeq(db: ControlDb, derivedSeq: number): Promise<number> {
  const stored = await readPosition(db, LISTS_CURSOR);
  if (stored !== null) return stored.seq;
  const seq = ((await firstFact(db)) ?? derivedSeq + 1) - 1;
  await beginPosition(db, LISTS_CURSOR, { seq, eventId: null });
  return seq;
}

/** Removes some lists of the oldest volume, if it has no facts any more. Resolves with whether there were any. */
export async function removeEmptyLists(db: ControlDb): Promise<boolean> {
  const oldest = await volumeAfter(db, null, "min");
  const next = oldest === null ? null : await volumeAfter(db, oldest, "min");
  const fact = await firstFact(db);
  // The last volume stays until there is another.
  if (oldest === null || next === null || fact === null || fact <= next) return false;
  const some = await db
    .selectFrom("fact_lists")
    .select(["scope", "dimension"])
    .where("volume", "=", oldest)
    .limit(1)
    .executeTakeFirst();
  if (some === undefined) {
    await db.deleteFrom("fact_volumes").where("volume", "=", oldest).execute();
    return true;
  }
  await db
    .deleteFrom("fact_lists")
    .where("volume", "=", oldest)
    .where("scope", "=", some.scope)
    .where("dimension", "=", some.dimension)
    .execute();
  return true;
}

/** null: there is none. */
async function volumeAfter(
  db: ControlDb,
  after: number | null,
  which: "min" | "max",
): Promise<number | null> {
  const { rows } = await sql<{ volume: number | null }>`
    SELECT ${sql.raw(which)}(volume) AS volume FROM fact_volumes WHERE volume > ${after ?? -1}`.execute(db);
  const volume = rows[0]?.volume ?? null;
  return volume === null ? null : Number(volume);
}

/** Its seq; null: there is none. */
async function firstFact(db: ControlDb): Promise<number | null> {
  const { rows } = await sql<{ seq: number | null }>`SELECT min(seq) AS seq FROM facts`.execute(db);
  const seq = rows[0]?.seq ?? null;
  return seq === null ? null : Number(seq);
}

/** The value of a fact in each dimension, and its model if that is a part of the key. null: it has none. */
const keysOf = {
  agent: ({ agent }) => [agent, 0],
  model: ({ model }) => [model, 0],
  agent_model: ({ agent, model }) => [agent, model],
  customer: ({ customer }) => [customer, 0],
  config_version: ({ config_version }) => [config_version, 0],
  used_key: ({ used_key }) => [used_key, 0],
} as const satisfies Record<keyof typeof listedDimensions, (fact: Fact) => readonly [number | null, number]>;

const addLists: Upsert = {
  table: "fact_lists",
  columns: [
    ...["volume", "scope", "dimension", "value", "model"],
    ...["after_seq", "from_at", "to_at", "calls", "offsets"],
  ],
  key: [],
  add: [],
};
const addVolumes: Upsert = {
  table: "fact_volumes",
  columns: ["scope", "volume", "from_at", "to_at"],
  key: ["scope", "volume"],
  add: [],
  least: ["from_at"],
  greatest: ["to_at"],
};

interface List {
  readonly value: number;
  readonly model: number;
  readonly offsets: number[];
  fromAt: number;
  toAt: number;
}

/**
 * In memory: it takes half the time of grouping them in the database. All lists are written together, because a segment
 * may have calls of thousands of organizations.
 */
async function listSegment(
  db: ControlDb,
  engine: Engine,
  volume: number,
  after: number,
  upTo: number,
): Promise<void> {
  const spans: number[][] = [];
  const rows: (number | string)[][] = [];
  const facts = await readFacts(db, after, upTo);
  for (const [scope, ofScope] of Map.groupBy(facts, fact => fact.scope)) {
    const times = ofScope.map(fact => fact.created_at);
    const ends = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
    spans.push([scope, volume, ...ends]);
    for (const [name, code] of Object.entries(listedDimensions)) {
      for (const list of listsOf(ofScope, keysOf[name as keyof typeof listedDimensions], after)) {
        const { value, model, offsets, fromAt, toAt } = list;
        const numbers = [volume, scope, code, value, model, after, fromAt, toAt, offsets.length];
        rows.push([...numbers, `[${offsets.join(",")}]`]);
      }
      await pauseIfDue();
    }
  }
  await upsertRows(db, engine, addVolumes, spans);
  await upsertRows(db, engine, addLists, rows);
}

async function readFacts(db: ControlDb, after: number, upTo: number): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (let from = after; from < upTo; from += FACTS_AT_ONCE) {
    const some = await db
      .selectFrom("facts")
      .select(["seq", "scope", "created_at", "agent", "model", "customer", "config_version", "used_key"])
      .where("seq", ">", from)
      .where("seq", "<=", Math.min(upTo, from + FACTS_AT_ONCE))
      .execute();
    facts.push(...some);
    await pauseIfDue();
  }
  return facts;
}

/** In the order of their keys, so that adjacent rows are written together. */
function listsOf(
  facts: readonly Fact[],
  keyOf: (fact: Fact) => readonly [number | null, number],
  after: number,
): List[] {
  const lists = new Map<number, Map<number, List>>();
  for (const fact of facts) {
    const [value, model] = keyOf(fact);
    if (value === null) continue;
    const byModel = lists.get(value) ?? new Map<number, List>();
    if (byModel.size === 0) lists.set(value, byModel);
    const { seq, created_at: at } = fact;
    const list = byModel.get(model) ?? { value, model, offsets: [], fromAt: at, toAt: at };
    if (list.offsets.length === 0) byModel.set(model, list);
    list.offsets.push(seq - after);
    list.fromAt = Math.min(list.fromAt, at);
    list.toAt = Math.max(list.toAt, at);
  }
  return [...lists.values()]
    .flatMap(byModel => [...byModel.values()])
    .sort((a, b) => a.value - b.value || a.model - b.model);
}
