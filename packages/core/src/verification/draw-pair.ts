import { isDrawn } from "../steering.ts";
import type { TrialPlan } from "./trial-plan.ts";

/**
 * Whether a call is sampled, and for what. Derived from the plan's seed and the call's id: the sample is fixed in
 * advance, and a repeated delivery of the same call gives the same result.
 */
export function drawPair(
  plan: Pick<TrialPlan, "seed" | "sample_share" | "control_every">,
  callId: string,
): "compared" | "control" | null {
  if (!isDrawn(`${plan.seed} sample`, 100 * plan.sample_share, callId)) return null;
  return isDrawn(`${plan.seed} control`, 100 / plan.control_every, callId) ? "control" : "compared";
}
