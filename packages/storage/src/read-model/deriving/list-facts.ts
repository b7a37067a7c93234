import { type Selectable, sql } from "kysely";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb, ControlSchema } from "../../database/schema.ts";
import { type Upsert, upsertRows } from "../../database/upsert-rows.ts";
import { beginPosition, movePosition, readPosition } from "../../following/stored-position.ts";
import { LISTS_CURSOR, listedDimensions } from "../fact-lists.ts";

type Fact = Pick<
  Selectable<ControlSchema["facts"]>,
  "seq" | "scope" | "created_at" | "agent" | "model" | "customer" | "config_version" | "used_key"
>;

/** Larger segments have fewer and longer lists, but leave more facts to search one by one. */
export const SEGMENT_EVENTS = 16_384;

interface Listed {
  /** The seq up to which facts are listed now. */
  readonly upTo: number;
  readonly isMore: boolean;
}

/** Lists the facts of the next segment, if the read model contains all of it. */
export async function listFacts(
  db: ControlDb,
  engine: Engine,
  derivedSeq: number,
  segmentEvents: number,
): Promise<Listed> {
  const after = await listedSeq(db);
  const upTo = after + segmentEvents;
  if (upTo > derivedSeq) return { upTo: after, isMore: false };
  await listSegment(db, engine, after, upTo);
  await movePosition(db, LISTS_CURSOR, { seq: upTo, eventId: null });
  return { upTo, isMore: upTo + segmentEvents <= derivedSeq };
}

/** At first, before the oldest fact: retention may have removed those before it. */
async function listedSeq(db: ControlDb): Promise<number> {
  const stored = await readPosition(db, LISTS_CURSOR);
  if (stored !== null) return stored.seq;
  const seq = ((await firstFact(db)) ?? 1) - 1;
  await beginPosition(db, LISTS_CURSOR, { seq, eventId: null });
  return seq;
}

/** Removes the oldest lists, if their segment has no facts any more. Resolves with whether it had none. */
export async function removeEmptyLists(db: ControlDb): Promise<boolean> {
  const { rows } = await sql<{ oldest: number | null; next: number | null }>`
    SELECT oldest, (SELECT min(after_seq) FROM fact_lists WHERE after_seq > oldest) AS next
    FROM (SELECT min(after_seq) AS oldest FROM fact_lists) AS first_segment`.execute(db);
  const [oldest, next] = [rows[0]?.oldest ?? null, rows[0]?.next ?? null];
  const fact = await firstFact(db);
  // The last segment stays until there is another.
  if (oldest === null || next === null || fact === null || fact <= Number(next)) return false;
  await db.deleteFrom("fact_lists").where("after_seq", "=", Number(oldest)).execute();
  return true;
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
  columns: ["scope", "dimension", "value", "model", "to_at", "after_seq", "from_at", "calls", "offsets"],
  key: [],
  add: [],
};

interface List {
  readonly value: number;
  readonly model: number;
  readonly offsets: number[];
  fromAt: number;
  toAt: number;
}

/** In memory: it takes half the time of grouping them in the database. */
async function listSegment(db: ControlDb, engine: Engine, after: number, upTo: number): Promise<void> {
  const facts = await db
    .selectFrom("facts")
    .select(["seq", "scope", "created_at", "agent", "model", "customer", "config_version", "used_key"])
    .where("seq", ">", after)
    .where("seq", "<=", upTo)
    .execute();
  for (const [scope, ofScope] of Map.groupBy(facts, fact => fact.scope)) {
    for (const [name, code] of Object.entries(listedDimensions)) {
      const lists = listsOf(ofScope, keysOf[name as keyof typeof listedDimensions], after);
      const rows = lists.map(({ value, model, offsets, fromAt, toAt }) => [
        ...[scope, code, value, model, toAt, after, fromAt, offsets.length],
        `[${offsets.join(",")}]`,
      ]);
      await upsertRows(db, engine, addLists, rows);
    }
  }
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
