import { type Selectable, sql } from "kysely";
import { emptyTables } from "../../database/empty-tables.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb, ControlSchema } from "../../database/schema.ts";
import { type Upsert, upsertRows } from "../../database/upsert-rows.ts";
import { KeyedRows } from "../../engine/keyed-rows.ts";
import { mapInTurns, pauseIfDue } from "../../engine/next-turn.ts";
import { beginPosition, movePosition, readPosition } from "../../following/stored-position.ts";
import { LISTS_CURSOR, listedDimensions } from "../fact-lists.ts";
import { EVENTS_CURSOR } from "./read-model-repair.ts";

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
const LISTS_REMOVED_AT_ONCE = 5000;

export interface ListingOptions {
  readonly segmentEvents?: number;
  readonly volumeSegments?: number;
}

interface Listed {
  /** All facts up to here are listed. */
  readonly listedSeq: number;
  readonly derivedSeq: number;
  /** The end of the next segment, which is listed once it is derived. */
  readonly nextEndSeq: number;
}

/** Lists the facts of the next segment, if the read model contains all of it. */
export async function listFacts(
  db: ControlDb,
  engine: Engine,
  derivedSeq: number,
  { segmentEvents = SEGMENT_EVENTS, volumeSegments = VOLUME_SEGMENTS }: ListingOptions = {},
): Promise<Listed> {
  const rebuild = await newestRebuild(db);
  const listedSeq = await beginLists(db, engine, derivedSeq, rebuild);
  // Retention may have removed the facts of whole segments.
  const next = ((await firstFact(db, listedSeq)) ?? derivedSeq + 1) - 1;
  const after = next - listedSeq >= segmentEvents ? next : listedSeq;
  const upTo = after + segmentEvents;
  if (upTo > derivedSeq) return { listedSeq: after, derivedSeq, nextEndSeq: upTo };
  const last = await volumeAfter(db, null, "max");
  const isFull = last === null || after - last >= segmentEvents * volumeSegments;
  await listSegment(db, engine, isFull ? after : last, after, upTo);
  await movePosition(db, LISTS_CURSOR, { seq: upTo, eventId: rebuild });
  return { listedSeq: upTo, derivedSeq, nextEndSeq: upTo + segmentEvents };
}

/**
 * How far facts are listed. At first, nothing is. A version without lists may have rebuilt the read model from another
 * ledger: the position is kept with the rebuild before it, and starts over after another.
 */
async function beginLists(
  db: ControlDb,
  engine: Engine,
  derivedSeq: number,
  rebuild: string | null,
): Promise<number> {
  const stored = await readPosition(db, LISTS_CURSOR);
  if (stored !== null && stored.eventId === rebuild) return stored.seq;
  await emptyTables(db, engine, ["fact_lists", "fact_volumes"]);
  const begin = { seq: ((await firstFact(db, 0)) ?? derivedSeq + 1) - 1, eventId: rebuild };
  await beginPosition(db, LISTS_CURSOR, begin);
  await movePosition(db, LISTS_CURSOR, begin);
  return begin.seq;
}

/** null: the read model was never rebuilt. */
async function newestRebuild(db: ControlDb): Promise<string | null> {
  const row = await db
    .selectFrom("rebuilds")
    .select("id")
    .where("readers", "like", `%${EVENTS_CURSOR}%`)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : `rebuild ${row.id}`;
}

/** Removes some lists of the oldest volume, if all facts up to its end are before `seq`. Resolves with whether it did. */
export async function removeEmptyLists(db: ControlDb, seq: number): Promise<boolean> {
  const oldest = await volumeAfter(db, null, "min");
  const next = oldest === null ? null : await volumeAfter(db, oldest, "min");
  // The last volume stays until there is another.
  if (oldest === null || next === null || seq <= next) return false;
  const { rows } = await sql<Selectable<ControlSchema["fact_lists"]>>`
    SELECT scope, dimension, value, model, after_seq FROM fact_lists WHERE volume = ${oldest}
    ORDER BY scope, dimension, value, model, after_seq
    LIMIT 1 OFFSET ${sql.lit(LISTS_REMOVED_AT_ONCE)}`.execute(db);
  const [kept] = rows;
  if (kept === undefined) {
    await db.deleteFrom("fact_lists").where("volume", "=", oldest).execute();
    await db.deleteFrom("fact_volumes").where("volume", "=", oldest).execute();
    return true;
  }
  await sql`DELETE FROM fact_lists WHERE volume = ${oldest} AND (scope, dimension, value, model, after_seq)
    < (${kept.scope}, ${kept.dimension}, ${kept.value}, ${kept.model}, ${kept.after_seq})`.execute(db);
  return true;
}

/** null: there is none. `fact_lists` is ordered by volume, and every volume has lists. */
async function volumeAfter(
  db: ControlDb,
  after: number | null,
  which: "min" | "max",
): Promise<number | null> {
  const { rows } = await sql<{ volume: number | null }>`
    SELECT ${sql.raw(which)}(volume) AS volume FROM fact_lists WHERE volume > ${after ?? -1}`.execute(db);
  const volume = rows[0]?.volume ?? null;
  return volume === null ? null : Number(volume);
}

/** The seq of the first fact after another; null: there is none. */
export async function firstFact(db: ControlDb, after: number): Promise<number | null> {
  const { rows } = await sql<{ seq: number | null }>`
    SELECT min(seq) AS seq FROM facts WHERE seq > ${after}`.execute(db);
  const seq = rows[0]?.seq ?? null;
  return seq === null ? null : Number(seq);
}

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
  readonly key: readonly number[];
  /** The seq of each fact, less that of the segment. */
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
  const lists = new KeyedRows<List>((scope, dimension, value, model) => ({
    key: [volume, scope, dimension, value, model, after],
    offsets: [],
    fromAt: Number.POSITIVE_INFINITY,
    toAt: Number.NEGATIVE_INFINITY,
  }));
  const spans = new Map<number, [from: number, to: number]>();
  await mapInTurns(await readFacts(db, after, upTo), fact => {
    const { seq, scope, created_at: at, agent, model } = fact;
    const add = (dimension: number, value: number | null, ofModel: number) => {
      if (value === null) return;
      const list = lists.row(scope, dimension, value, ofModel);
      list.offsets.push(seq - after);
      list.fromAt = Math.min(list.fromAt, at);
      list.toAt = Math.max(list.toAt, at);
    };
    add(listedDimensions.agent, agent, 0);
    add(listedDimensions.model, model, 0);
    add(listedDimensions.agent_model, agent, model);
    add(listedDimensions.customer, fact.customer, 0);
    add(listedDimensions.config_version, fact.config_version, 0);
    add(listedDimensions.used_key, fact.used_key, 0);
    const [from, to] = spans.get(scope) ?? [at, at];
    spans.set(scope, [Math.min(from, at), Math.max(to, at)]);
  });
  const volumes = [...spans].map(([scope, span]) => [scope, volume, ...span]);
  await upsertRows(db, engine, addVolumes, volumes);
  const rows = await mapInTurns(lists.sorted(), ({ key, fromAt, toAt, offsets }) => [
    ...key,
    fromAt,
    toAt,
    offsets.length,
    `[${offsets.join(",")}]`,
  ]);
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
