import type { MeanScore } from "@tollgate/core/verification/verdict";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { z } from "zod";
import { pairCall } from "./pair-row.ts";
import type { TrialEvidence } from "./trial-evidence.ts";

const meanScore = z.strictObject({
  pairs: z.int(),
  values: z.int(),
  mean: z.number().nullable(),
  lower: z.number(),
  upper: z.number(),
});

/** A pair that is not graded yet: it has its second answer, or calls of a judge. */
const openPair = z.strictObject({
  /** The time of its first event. */
  at: z.int(),
  second: pairCall.nullable(),
  judge_microcents: z.int(),
});

const storedState = z.strictObject({
  /** The last event of the ledger that was counted. */
  seq: z.int(),
  /** Not in the spend. null: an earlier version began to count, without these. */
  unpriced_calls: z.int().nullable().default(null),
  open: z.record(z.string(), openPair),
  score: meanScore.nullable(),
  data_through: z.int().nullable(),
});

type State = z.infer<typeof storedState>;
export type OpenPair = z.infer<typeof openPair>;

export interface Progress {
  readonly pairs: number;
  readonly controls: number;
  readonly spentMicrocents: number;
  readonly state: State;
}

export const noProgress: Progress = {
  pairs: 0,
  controls: 0,
  spentMicrocents: 0,
  state: { seq: 0, unpriced_calls: 0, open: {}, score: null, data_through: null },
};

export async function readProgress(db: ControlDb, requestId: string): Promise<Progress> {
  const row = await db
    .selectFrom("verification_progress")
    .selectAll()
    .where("request_id", "=", requestId)
    .executeTakeFirst();
  return row === undefined ? noProgress : parseProgress(row);
}

export function parseProgress(row: {
  readonly pairs: number;
  readonly controls: number;
  readonly spent_microcents: number;
  readonly state: string;
}): Progress {
  return {
    pairs: row.pairs,
    controls: row.controls,
    spentMicrocents: row.spent_microcents,
    state: storedState.parse(JSON.parse(row.state)),
  };
}

export async function writeProgress(
  transaction: ControlDb,
  requestId: string,
  { pairs, controls, spentMicrocents, state }: Progress,
  now: number,
): Promise<void> {
  const fields = {
    pairs,
    controls,
    spent_microcents: spentMicrocents,
    state: JSON.stringify(state),
    updated_at: now,
  };
  await transaction
    .insertInto("verification_progress")
    .values({ request_id: requestId, ...fields })
    .onConflict(conflict => conflict.column("request_id").doUpdateSet(fields))
    .execute();
}

/** A trial's progress while it runs, and after it ended without a verdict. */
export function evidenceSoFar({ trial, dataThroughMs }: TrialEvidence) {
  const { compared, controls } = trial;
  const { pairs, values, mean, lower, upper } = compared;
  const score: MeanScore = { pairs, values, mean, lower, upper };
  return { pairs, controls: controls.pairs, score, data_through: dataThroughMs };
}
