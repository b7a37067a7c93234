import { type Envelope, toEnvelope } from "@tollgate/core/contract/fields/envelope";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { trialResource } from "@tollgate/core/contract/verification";
import { fromRow } from "@tollgate/storage/database/from-row";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";
import { parsePlan } from "./register-trial.ts";

export async function listTrials(
  { db, scope }: Context,
  limit: number,
): Promise<z.infer<typeof trialResource>[]> {
  const rows = await db
    .selectFrom("verification_trials")
    .selectAll()
    .where(inScope(scope))
    .orderBy("registered_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(stored => {
    const row = fromRow("verification_trials", stored);
    const plan = parsePlan(row.plan);
    const exact = (value: number): Envelope => toEnvelope({ method: "exact", value }, row.registered_at);
    return {
      id: row.id,
      request_id: row.request_id,
      status: row.status,
      void_reason: row.void_reason,
      verdict_id: row.verdict_id,
      regime: plan.regime,
      primary_metric: plan.primary_metric,
      method: plan.method,
      evidence_mode: plan.evidence_mode,
      agent_id: plan.agent_id,
      prod_model: `${plan.prod_provider}/${plan.prod_model}`,
      candidate_model: `${plan.candidate_provider}/${plan.candidate_model}`,
      judge_model: plan.judge_model,
      margin: exact(plan.margin),
      alpha: exact(plan.alpha),
      power: exact(plan.power),
      sample_plan: {
        min_pairs: exact(plan.min_pairs),
        max_pairs: exact(plan.max_pairs),
        max_days: exact(plan.max_days),
        max_spend_microcents: exact(plan.max_spend_microcents),
        share_pct: exact(Math.round(plan.sample_share * 100)),
        control_every: exact(plan.control_every),
      },
      plan: row.plan,
      plan_hash: row.plan_hash,
      registered_at: toIsoTime(row.registered_at),
      ended_at: row.ended_at === null ? null : toIsoTime(row.ended_at),
    };
  });
}
