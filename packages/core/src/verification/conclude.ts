import { type TaskCategory, taskCategories } from "../event.ts";
import { tangoBound } from "../statistics/tango-bound.ts";
import { guardsOf, type ProductionCalls } from "./guards.ts";
import { savingsOf } from "./savings.ts";
import { ScoreSequence } from "./score-sequence.ts";
import type { TrialPlan } from "./trial-plan.ts";
import type { TrialRow } from "./trial-row.ts";
import { scorePlan, type TrialEnd, TrialSequence } from "./trial-sequence.ts";
import type { VoidReason } from "./trial-status.ts";
import { type CategoryVerdict, expiryOf, type MeanScore, type Verdict } from "./verdict.ts";

export type Conclusion =
  | { readonly status: "registered"; readonly score: MeanScore; readonly controls: MeanScore }
  | { readonly status: "voided"; readonly reason: VoidReason }
  | { readonly status: "concluded"; readonly verdict: Verdict };

export interface Circumstances {
  readonly nowMs: number;
  /** Time or spend is used up. */
  readonly isOver: boolean;
  /** Of the agent with the production model; null: unknown. */
  readonly monthlyCalls: number | null;
  /** Absent: the production model's failures are known only from the rows. */
  readonly production?: ProductionCalls;
}

/** The result of a trial, computed only from its stored rows, so that it can be reproduced. */
export function conclude(
  plan: TrialPlan,
  rows: readonly TrialRow[],
  circumstances: Circumstances,
): Conclusion {
  const trial = new TrialSequence(plan);
  for (const row of rows) trial.add(row);
  trial.look(circumstances.nowMs);
  if (circumstances.isOver) trial.finish();
  return conclusionOf(plan, trial, circumstances);
}

/** The same for a trial that was evaluated row by row. */
export function conclusionOf(
  plan: TrialPlan,
  trial: TrialSequence,
  circumstances: Omit<Circumstances, "isOver">,
): Conclusion {
  const { end, compared, controls } = trial;
  if (end === null) {
    return { status: "registered", score: meanScore(compared), controls: meanScore(controls) };
  }
  if (end.kind === "voided") return { status: "voided", reason: end.reason };
  return { status: "concluded", verdict: verdictOf(plan, trial, end, circumstances) };
}

function verdictOf(
  plan: TrialPlan,
  { compared, controls, rows }: TrialSequence,
  end: Exclude<TrialEnd, { kind: "voided" }>,
  { nowMs, monthlyCalls, production }: Omit<Circumstances, "isOver">,
): Verdict {
  const guards = guardsOf(rows, production ?? null);
  const { wins, ties, losses } = compared.counts;
  return {
    verdict: nameOf(end, guards.error_rate.passes && guards.latency_p95_ms.passes),
    evidence_mode: plan.evidence_mode,
    judge_model: plan.judge_model,
    margin: plan.margin,
    alpha: plan.alpha,
    score: meanScore(compared),
    ...{ wins, ties, losses },
    tango_lower: tangoBound(wins, ties, losses),
    controls: meanScore(controls),
    guards,
    savings: savingsOf(rows, monthlyCalls),
    categories: taskCategories.flatMap(category => categoryVerdict(plan, rows, category)),
    concluded_at_ms: nowMs,
    expires_at_ms: expiryOf(nowMs),
  };
}

function nameOf(end: Exclude<TrialEnd, { kind: "voided" }>, passesGuards: boolean): Verdict["verdict"] {
  if (end.kind === "undecided") return "inconclusive";
  return end.decision === "holds" && !passesGuards ? "holds_with_warning" : end.decision;
}

/** None for a category with too few pairs. Each is at the plan's own level; the overall verdict decides. */
function categoryVerdict(
  plan: TrialPlan,
  rows: readonly TrialRow[],
  category: TaskCategory,
): CategoryVerdict[] {
  const scores = new ScoreSequence(scorePlan(plan));
  for (const row of rows) if (row.kind === "compared" && row.category === category) scores.add(row);
  scores.closeAll();
  if (scores.pairs < plan.min_pairs) return [];
  return [{ category, verdict: scores.decision ?? "inconclusive", ...meanScore(scores) }];
}

function meanScore({ pairs, values, mean, lower, upper }: ScoreSequence): MeanScore {
  return { pairs, values, mean, lower, upper };
}
