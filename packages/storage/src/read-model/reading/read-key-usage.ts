import { type CallSums, noCalls } from "@tollgate/core/money/call-sums";
import { type RawBuilder, sql } from "kysely";
import { listOfNumbers, listOfTexts } from "../../database/list-of.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { factsWith } from "../fact-lists.ts";
import type { KeyUsage } from "../queries/subject-queries.ts";
import { totalsOfFacts } from "../sum-of.ts";

export interface UsedKey extends KeyUsage {
  readonly id: number;
  readonly key_id: string;
  readonly first_at: number;
}

export async function readUsedKeys(
  db: ControlDb,
  engine: Engine,
  scope: number,
  keyIds: readonly string[],
): Promise<readonly UsedKey[]> {
  const { rows } = await sql<UsedKey>`
    SELECT id, key_id, calls, errors, input_tokens, output_tokens, cost_microcents, unpriced_calls, first_at, last_at
    FROM used_keys WHERE scope = ${scope} AND key_id IN ${listOfTexts(engine, keyIds)}`.execute(db);
  return rows;
}

/** The numbers of keys that were used both before and within the visible history: their totals contain both. */
export function keysCutBy(visibleFrom: number, used: readonly UsedKey[]): number[] {
  return used
    .filter(({ first_at, last_at }) => first_at < visibleFrom && last_at >= visibleFrom)
    .map(({ id }) => id);
}

interface RecentSums extends CallSums {
  readonly id: number;
}

/** Sums of the calls since then, by the key's number. */
export function recentKeySums(
  engine: Engine,
  scope: number,
  keys: readonly number[],
  from: number,
): RawBuilder<RecentSums> {
  return sql`
    SELECT used_key AS id, ${sql.join(totalsOfFacts)} 
    FROM ${factsWith(engine, scope, "used_key", sql`IN ${listOfNumbers(engine, keys)}`, { from })} AS facts
    WHERE created_at >= ${from}
    GROUP BY used_key`;
}

/** `sums` are those of the keys that the visible history cuts. */
export function toKeyUsage(
  used: readonly UsedKey[],
  visibleFrom: number,
  sums: readonly RecentSums[],
): ReadonlyMap<string, KeyUsage> {
  const recent = new Map(sums.map(({ id, ...ofKey }) => [id, ofKey]));
  return new Map(used.map(key => [key.key_id, visibleUsage(key, visibleFrom, recent)]));
}

function visibleUsage(
  { id, key_id: _, first_at, ...usage }: UsedKey,
  visibleFrom: number,
  recent: ReadonlyMap<number, CallSums>,
): KeyUsage {
  if (first_at >= visibleFrom) return usage;
  return { ...noCalls(), ...recent.get(id), last_at: usage.last_at };
}
