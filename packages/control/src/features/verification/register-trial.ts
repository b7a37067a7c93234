import { microcents } from "@tollgate/core/money/money";
import { providerIds } from "@tollgate/core/provider-id";
import type { TrialPlan } from "@tollgate/core/verification/trial-plan";
import { evidenceModes } from "@tollgate/core/verification/vocabulary";
import { canonicalJson } from "@tollgate/core/wire/canonical-json";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { z } from "zod";
import { hashTrialPlan } from "./hash-trial-plan.ts";
import type { RequestRow } from "./request-row.ts";

const money = z.int().transform(microcents);

/** Reads back a stored plan. The hash covers all of it, and nothing else. */
const storedPlan = z.strictObject({
  agent_id: z.string().nullable(),
  prod_provider: z.enum(providerIds),
  prod_model: z.string(),
  candidate_provider: z.enum(providerIds),
  candidate_model: z.string(),
  judge_model: z.string().nullable(),
  experiment_id: z.string().nullable(),
  margin: z.number(),
  max_pairs: z.int(),
  max_spend_microcents: money,
  sample_share: z.number(),
  evidence_mode: z.enum(evidenceModes),
  regime: z.literal("non_inferiority"),
  primary_metric: z.literal("mean_score"),
  method: z.literal("betting_cs"),
  alpha: z.number(),
  power: z.number(),
  min_pairs: z.int(),
  max_days: z.int(),
  control_every: z.int(),
  control_limit: z.number(),
  session_window_ms: z.int(),
  seed: z.string(),
}) satisfies z.ZodType<TrialPlan>;

/** In the transaction that creates the request, and never changed: no pair is older than its plan. */
export async function registerTrial(
  transaction: ControlDb,
  { id, org_id, mode, trial_id, created_at }: RequestRow,
  plan: TrialPlan,
): Promise<void> {
  await transaction
    .insertInto("verification_trials")
    .values({
      id: trial_id,
      org_id,
      mode,
      request_id: id,
      plan: canonicalJson(plan),
      plan_hash: hashTrialPlan(plan),
      status: "registered",
      void_reason: null,
      verdict_id: null,
      registered_at: created_at,
      ended_at: null,
    })
    .execute();
}

export async function readPlan(db: ControlDb, requestId: string): Promise<TrialPlan> {
  const { plan } = await db
    .selectFrom("verification_trials")
    .select("plan")
    .where("request_id", "=", requestId)
    .executeTakeFirstOrThrow();
  return parsePlan(plan);
}

export function parsePlan(stored: string): TrialPlan {
  return storedPlan.parse(JSON.parse(stored));
}
