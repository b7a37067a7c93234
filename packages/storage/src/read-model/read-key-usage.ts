import { type CallSums, noCalls } from "@tollgate/core/money/call-sums";
import { type RawBuilder, sql } from "kysely";
import { listOfNumbers, listOfTexts } from "../database/list-of.ts";
import type { Engine } from "../database/open-control-database.ts";
import type { KeyUsage } from "./queries.ts";
import { totalsOfFacts } from "./sum-of.ts";

export interface UsedKey extends KeyUsage {
  readonly id: number;
  readonly key_id: string;
  readonly first_at: number;
}

export function usedKeys(engine: Engine, scope: number, keyIds: readonly string[]): RawBuilder<UsedKey> {
  return sql`
    SELECT id, key_id, calls, errors, input_tokens, output_tokens, cost_microcents, unpriced_calls, first_at, last_at
    FROM used_keys WHERE scope = ${scope} AND key_id IN ${listOfTexts(engine, keyIds)}`;
}

/** Sums of the calls since then, by the key's number. */
export function recentKeySums(
  engine: Engine,
  scope: number,
  keys: readonly number[],
  from: number,
): RawBuilder<CallSums & { readonly id: number }> {
  return sql`
    SELECT used_key AS id, ${sql.join(totalsOfFacts)} FROM facts
    WHERE scope = ${scope} AND used_key IN ${listOfNumbers(engine, keys)} AND created_at >= ${from}
    GROUP BY used_key`;
}

/** `recent` has the keys that were first used before the visible history, if they were used within it. */
export function visibleUsage(
  { id, key_id: _, first_at, ...usage }: UsedKey,
  visibleFrom: number,
  recent: ReadonlyMap<number, CallSums>,
): KeyUsage {
  if (first_at >= visibleFrom) return usage;
  return { ...noCalls(), ...recent.get(id), last_at: usage.last_at };
}
