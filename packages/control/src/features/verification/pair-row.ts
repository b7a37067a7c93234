import { type EventStatus, eventStatuses } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import type { Grader } from "@tollgate/core/verification/grading/grade";
import type { TrialRow } from "@tollgate/core/verification/trial-row";
import { parseEnumValue } from "@tollgate/storage/database/from-row";
import type { ControlDb, TableRow } from "@tollgate/storage/database/schema";
import { z } from "zod";

export type PairRow = TableRow<"verification_pairs">;

/** What is stored about one call of a pair. */
export const pairCall = z.strictObject({
  status: z.enum(eventStatuses),
  /** null: no price is known. */
  cost_microcents: z.int().nullable(),
  latency_ms: z.int().nullable(),
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  served_model: z.string().nullable(),
});

export type PairCall = z.infer<typeof pairCall>;

/** A pair before it is stored; adding it assigns its number. */
export interface NewPair {
  readonly pair_id: string;
  readonly kind: PairRow["kind"];
  readonly session_id: string | null;
  readonly category: PairRow["category"];
  readonly score: number;
  readonly grader: Grader;
  readonly prod: PairCall;
  readonly candidate: PairCall;
  readonly judge_microcents: number;
  /** When it was recorded; never earlier than the previous pair. */
  readonly created_at: number;
}

/** The evidence as trials see it. */
export function toTrialRow(pair: NewPair): TrialRow {
  const { score, grader, category } = pair;
  const sampled = { recordedAtMs: pair.created_at, sessionId: pair.session_id, score, grader };
  const production = pairedCall(pair.prod);
  return pair.kind === "control"
    ? { kind: "control", ...sampled, production }
    : { kind: "compared", ...sampled, category, production, candidate: pairedCall(pair.candidate) };
}

function pairedCall({ status, latency_ms, cost_microcents, served_model }: PairCall) {
  return {
    isFailed: isFailure(status),
    latencyMs: latency_ms,
    costMicrocents: cost_microcents === null ? null : microcents(cost_microcents),
    servedModel: served_model,
  };
}

function isFailure(status: EventStatus): boolean {
  return status !== "success";
}

/** In their order. */
export async function readPairs(db: ControlDb, requestId: string): Promise<NewPair[]> {
  const rows = await db
    .selectFrom("verification_pairs")
    .selectAll()
    .where("request_id", "=", requestId)
    .orderBy("position")
    .execute();
  return rows.map(row => ({
    pair_id: row.pair_id,
    kind: parseEnumValue("verification_pairs", "kind", row.pair_id, row.kind),
    session_id: row.session_id,
    category: parseEnumValue("verification_pairs", "category", row.pair_id, row.category),
    score: row.score,
    grader: parseEnumValue("verification_pairs", "grader", row.pair_id, row.grader),
    prod: pairCall.parse(JSON.parse(row.prod)),
    candidate: pairCall.parse(JSON.parse(row.candidate)),
    judge_microcents: row.judge_microcents,
    created_at: row.created_at,
  }));
}

export async function insertPairs(
  transaction: ControlDb,
  requestId: string,
  pairs: readonly { readonly pair: NewPair; readonly position: number; readonly isCounted: boolean }[],
): Promise<void> {
  if (pairs.length === 0) return;
  await transaction
    .insertInto("verification_pairs")
    .values(
      pairs.map(({ pair, position, isCounted }) => ({
        ...pair,
        request_id: requestId,
        position,
        is_counted: isCounted ? 1 : 0,
        prod: JSON.stringify(pair.prod),
        candidate: JSON.stringify(pair.candidate),
      })),
    )
    .execute();
}
