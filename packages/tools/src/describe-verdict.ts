import type { verdictResource } from "@tollgate/core/contract/verification";
import type { z } from "zod";
import { quoted } from "./quoted.ts";
import { savingInWords } from "./saving-in-words.ts";

/** A verdict in one line. */
export function describeVerdict(verdict: z.output<typeof verdictResource>): string {
  const { pairs, non_inferiority, savings } = verdict;
  const { mean_score: score, margin } = non_inferiority;
  const about = `${quoted(verdict.prod_model)} to ${quoted(verdict.candidate_model)}, ${verdict.agent_id === null ? "all agents" : `agent ${verdict.agent_id}`}, ${verdict.task_category ?? "all tasks"}`;
  const interval =
    score.ci_low === null || score.ci_high === null ? "" : ` (between ${score.ci_low} and ${score.ci_high})`;
  const mean = score.value === null ? "unknown" : String(Number(score.value.toPrecision(3)));
  const perCall = savingInWords(savings.per_call_microcents, "a call");
  return `${about}: ${verdict.verdict}, ${verdict.freshness}; mean score ${mean}${interval} against a margin of ${margin.value}, ${pairs.compared.value} pairs by ${verdict.evidence_mode}; ${perCall}; expires ${verdict.expires_at}.`;
}
