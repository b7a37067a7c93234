import { toEnvelope } from "@tollgate/core/contract/fields/envelope";
import type { ControlLab } from "../labs/control-lab.ts";

interface SampleVerdict {
  readonly orgId: string;
  readonly agentId: string | null;
  readonly candidateModel: string;
  readonly verdict?: "holds" | "holds_with_warning" | "degrades";
  readonly concludedAt: number;
  readonly savesMicrocents?: number;
}

/** A verdict as the pairs of a verification would have brought it. Resolves with its id. */
export async function addVerdict({ db }: Pick<ControlLab, "db">, sample: SampleVerdict): Promise<string> {
  const id = crypto.randomUUID();
  const { concludedAt, savesMicrocents = 1_000_000 } = sample;
  await db
    .insertInto("verdicts")
    .values({
      id,
      org_id: sample.orgId,
      mode: "live",
      request_id: crypto.randomUUID(),
      trial_id: crypto.randomUUID(),
      agent_id: sample.agentId,
      agent_key: null,
      prod_model: "gpt-4o",
      candidate_model: sample.candidateModel,
      task_category: null,
      verdict: sample.verdict ?? "holds",
      evidence_mode: "shadow",
      result: JSON.stringify(resultOf(savesMicrocents, concludedAt)),
      judge_model: null,
      concluded_at: concludedAt,
      expires_at: concludedAt + 30 * 86_400_000,
    })
    .execute();
  return id;
}

function resultOf(savesMicrocents: number, at: number) {
  const counted = toEnvelope({ method: "count", value: 100 }, at);
  const measured = toEnvelope(
    {
      method: "paired_t",
      value: savesMicrocents,
      interval: { low: savesMicrocents * 0.9, high: savesMicrocents * 1.1 },
    },
    at,
  );
  const guard = { passes: true, production: counted, candidate: counted };
  return {
    pairs: {
      compared: counted,
      values: counted,
      wins: counted,
      ties: counted,
      losses: counted,
      controls: counted,
    },
    non_inferiority: {
      is_shown: true,
      margin: counted,
      alpha: counted,
      mean_score: counted,
      tango_lower: counted,
      judge_bias: counted,
    },
    guards: { error_rate: guard, latency_p95_ms: guard },
    savings: {
      per_call_microcents: measured,
      per_month_microcents: measured,
      ratio: measured,
      priced_pairs: counted,
      unpriced_pairs: counted,
    },
  };
}
