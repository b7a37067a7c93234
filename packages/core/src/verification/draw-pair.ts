import { armOf } from "../steering.ts";
import type { TrialPlan } from "./trial-plan.ts";

/**
 * Whether a call is sampled, and for what. It follows from the plan's seed and the call's id, so the sample was chosen
 * before there was anything to see, and a repeated delivery of the same call is drawn the same.
 */
export function drawPair(
  plan: Pick<TrialPlan, "seed" | "sample_share" | "control_every">,
  callId: string,
): "compared" | "control" | null {
  if (!isDrawn(`${plan.seed} sample`, plan.sample_share, callId)) return null;
  return isDrawn(`${plan.seed} control`, 1 / plan.control_every, callId) ? "control" : "compared";
}

function isDrawn(draw: string, share: number, callId: string): boolean {
  return armOf({ experimentId: draw, trafficPct: 100 * share }, callId) === "treatment";
}
