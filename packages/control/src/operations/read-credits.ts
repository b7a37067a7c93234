import type { AttributionModel } from "@tollgate/core/attribution/attribution-models";
import { type Credited, creditOutcomes } from "@tollgate/core/attribution/credit-outcomes";
import type { HistoryWindow } from "@tollgate/core/history-window";
import type { Context } from "../context.ts";

/** The outcomes of a window, credited by a model. */
export async function readCredits(
  { readModel, scope }: Context,
  window: HistoryWindow,
  model: AttributionModel | "value",
  onlyAgent: string | null = null,
): Promise<Credited> {
  const outcomes = await readModel.outcomes(scope, window);
  return creditOutcomes(
    outcomes.map(outcome => ({
      id: outcome.id,
      outcomeType: outcome.outcome_type,
      valueCents: outcome.value_cents,
      // What an agent is worth: whom an outcome names, else who called last in its session. An outcome that was
      // reported for a run names nobody, and would otherwise be worth nothing to anybody.
      agentId: model === "value" ? (outcome.agent_id ?? outcome.last_agent_id) : outcome.agent_id,
      firstAgentId: outcome.first_agent_id,
      lastAgentId: outcome.last_agent_id,
    })),
    model === "value" ? "direct" : model,
    onlyAgent,
  );
}
