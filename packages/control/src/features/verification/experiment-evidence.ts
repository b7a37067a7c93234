import { experimentResults } from "@tollgate/core/contract/experiments";
import { fail } from "@tollgate/core/errors";
import type { Estimate } from "@tollgate/core/experiments/latency-counts";
import type { Target } from "@tollgate/core/steering";
import { latencyGuard } from "@tollgate/core/verification/guards";
import type { TrialPlan } from "@tollgate/core/verification/trial-plan";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";
import type { Finding } from "./end-request.ts";
import { intervalOf, toResult } from "./verdict-result.ts";

type Results = z.infer<typeof experimentResults>;

/**
 * The newest experiment that compares these two models on this agent by the outcomes of its sessions. If it is still
 * running, the verification waits for its end. Its test was fixed at the start and is valid whenever it ends.
 */
export async function findQualityExperiment(
  { db, scope }: Context,
  agentId: string | null,
  production: Target,
  candidate: Target,
): Promise<string> {
  if (agentId === null) {
    throw fail("invalid_request", "agent_id is required: an experiment is evidence about its own agent");
  }
  const rows = await db
    .selectFrom("experiments")
    .select(["id", "control_model", "treatment_model"])
    .where(inScope(scope))
    .where("agent_id", "=", agentId)
    .where("primary_metric", "=", "quality_score")
    .where("status", "in", ["running", "paused", "completed"])
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  const found = rows.find(
    row => isNamed(production, row.control_model) && isNamed(candidate, row.treatment_model),
  );
  if (found === undefined) {
    throw fail(
      "invalid_request",
      "This agent has no experiment of these two models with quality_score as its primary metric",
    );
  }
  return found.id;
}

function isNamed({ provider, model }: Target, name: string | null): boolean {
  return name === model || name === `${provider}/${model}`;
}

export type ExperimentState = "open" | "gone" | Results;

export async function readExperiment(db: ControlDb, id: string | null): Promise<ExperimentState> {
  if (id === null) return "gone";
  const row = await db
    .selectFrom("experiments")
    .select(["status", "results"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined || row.status === "cancelled") return "gone";
  return row.results === null ? "open" : experimentResults.parse(JSON.parse(row.results));
}

/** The experiment's result for the plan's margin, from the success rates of outcomes. null: no result. */
export function experimentFinding(
  plan: TrialPlan,
  { control, treatment, difference, test, error_guard }: Results,
  monthlyCalls: number | null,
  dataThroughMs: number,
): Finding | null {
  const { margin, min_pairs } = plan;
  if (difference === null || difference.low === null || difference.high === null) return null;
  if (Math.min(control.outcomes, treatment.outcomes) < min_pairs) return null;
  const { value: mean, low: lower, high: upper } = difference;
  const holds = lower > -margin;
  if (!holds && !(upper < -margin)) return null;
  const latency = latencyGuard(
    control.latency_p95_ms?.value ?? null,
    treatment.latency_p95_ms?.value ?? null,
  );
  const perCall = differenceOf(control.cost_per_call_microcents, treatment.cost_per_call_microcents);
  const outcomes = control.outcomes + treatment.outcomes;
  return {
    category: null,
    verdict: !holds ? "degrades" : error_guard.passes && latency.passes ? "holds" : "holds_with_warning",
    result: toResult(
      {
        isShown: holds,
        margin,
        alpha: test.alpha,
        score: { pairs: outcomes, values: outcomes, mean, lower, upper },
        counts: null,
        tangoLower: null,
        controls: null,
        guards: {
          error_rate: {
            passes: error_guard.passes,
            production: control.error_rate?.value ?? null,
            candidate: treatment.error_rate?.value ?? null,
          },
          latency_p95_ms: latency,
        },
        candidateErrors: intervalOf(treatment.error_rate),
        savings: {
          priced_pairs: control.calls + treatment.calls - control.unpriced_calls - treatment.unpriced_calls,
          unpriced_pairs: control.unpriced_calls + treatment.unpriced_calls,
          per_call_microcents: perCall,
          per_month_microcents:
            perCall === null || monthlyCalls === null ? null : scaled(perCall, monthlyCalls),
          ratio: null,
        },
        design: "two_groups",
      },
      dataThroughMs,
    ),
  };
}

/** Difference of two independent means; its interval follows from theirs (Zou and Donner 2008, "square and add"). */
function differenceOf(before: Estimate | null, after: Estimate | null): Estimate | null {
  if (before === null || after === null) return null;
  const value = before.value - after.value;
  if (before.low === null || before.high === null || after.low === null || after.high === null) {
    return { value, low: null, high: null };
  }
  return {
    value,
    low: value - Math.hypot(before.value - before.low, after.high - after.value),
    high: value + Math.hypot(before.high - before.value, after.value - after.low),
  };
}

function scaled({ value, low, high }: Estimate, factor: number): Estimate {
  return {
    value: value * factor,
    low: low === null ? null : low * factor,
    high: high === null ? null : high * factor,
  };
}
