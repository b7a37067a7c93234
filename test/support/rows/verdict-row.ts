import { toEnvelope } from "@tollgate/core/contract/fields/envelope";
import { DAY_MS } from "@tollgate/core/time/durations";
import type { ControlLab } from "../labs/control-lab.ts";

/** As a verification would store it, with what a headline reads. */
export function verdictRow(lab: ControlLab, orgId: string, change: Record<string, unknown> = {}) {
  const now = lab.clock.now();
  const perCall = toEnvelope({ method: "paired_t", value: 500, interval: { low: 400, high: 600 } }, now);
  const count = toEnvelope({ method: "count", value: 60 }, now);
  const result = {
    pairs: { compared: count },
    non_inferiority: {
      mean_score: toEnvelope({ method: "betting_cs", value: 0, interval: { low: -0.09, high: 0.1 } }, now),
      margin: toEnvelope({ method: "exact", value: 0.1 }, now),
    },
    savings: { per_call_microcents: perCall },
  };
  return {
    id: crypto.randomUUID(),
    org_id: orgId,
    mode: "live" as const,
    request_id: crypto.randomUUID(),
    trial_id: crypto.randomUUID(),
    agent_id: null,
    agent_key: null,
    prod_model: "gpt-4o",
    candidate_model: "gpt-4o-mini",
    task_category: null,
    verdict: "holds" as const,
    evidence_mode: "shadow" as const,
    result: JSON.stringify(result),
    judge_model: "gpt-5",
    concluded_at: now - DAY_MS,
    expires_at: now + 29 * DAY_MS,
    invalidated_at: null,
    invalid_reason: null,
    ...change,
  };
}
