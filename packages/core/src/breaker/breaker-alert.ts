import type { AlertDraft } from "../alerts/alert-draft.ts";
import { plainName } from "../alerts/plain-name.ts";
import type { Worsening } from "./switch-watch.ts";

/** Identifies the alert about a switch that was undone; acknowledging the queue's item resolves it. */
export function breakerRuleKey(optimizationId: string): string {
  return `breaker:${optimizationId}`;
}

interface Undone {
  readonly optimizationId: string;
  readonly agent: { readonly id: string; readonly agentKey: string };
  readonly model: string;
}

/** The alert that the breaker has undone a switch. */
export function breakerAlert({ optimizationId, agent, model }: Undone, worsening: Worsening): AlertDraft {
  const { reason, before, after, samplesBefore, samplesAfter, slowMs } = worsening;
  const name = plainName(agent.agentKey);
  return {
    ruleKey: breakerRuleKey(optimizationId),
    // A switch can be undone only once.
    period: "undone",
    type: "error_rate",
    severity: "critical",
    message: `The switch of ${name} to ${plainName(model)} was undone: ${sentenceOf(worsening)}`,
    metadata: {
      kind: "breaker",
      reason,
      optimization_id: optimizationId,
      agent_key: agent.agentKey,
      model,
      share_before_pct: percentOf(before),
      share_after_pct: percentOf(after),
      samples_before: samplesBefore,
      samples_after: samplesAfter,
      slow_ms: slowMs,
    },
    agentId: agent.id,
    notify: "preferences",
  };
}

function sentenceOf({ reason, before, after, slowMs }: Worsening): string {
  const shares = `${percentOf(after)}%, after ${percentOf(before)}% before it`;
  switch (reason) {
    case "error_rate":
      return `more calls fail (${shares})`;
    case "latency":
      return `more calls take over ${Math.round(slowMs ?? 0)} ms (${shares})`;
    case "outcomes":
      return `more outcomes fail (${shares})`;
    default:
      return reason satisfies never;
  }
}

function percentOf(share: number): number {
  return Math.round(share * 10_000) / 100;
}
