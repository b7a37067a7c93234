import type { AttributionModel } from "@tollgate/core/attribution/attribution-models";
import { type Credited, creditOutcomes } from "@tollgate/core/attribution/credit-outcomes";
import type { HistoryWindow } from "@tollgate/core/limits/history-window";
import type { Context } from "../../kernel/context.ts";

/** The outcomes of a window, credited by a model: ROI, audits and suggestions use attribution's default model. */
export async function readCredits(
  { readModel, scope }: Context,
  window: HistoryWindow,
  model: AttributionModel = "direct",
  onlyAgent: string | null = null,
): Promise<Credited> {
  const outcomes = await readModel.outcomes(scope, window, model);
  return creditOutcomes(
    outcomes.map(outcome => ({
      id: outcome.id,
      outcomeType: outcome.outcome_type,
      success: outcome.success === null ? null : outcome.success === 1,
      valueCents: outcome.value_cents,
      agentId: outcome.agent_id,
      firstAgentId: outcome.first_agent_id,
      lastAgentId: outcome.last_agent_id,
    })),
    model,
    onlyAgent,
  );
}
