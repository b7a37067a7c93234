import type { ControlTransaction } from "@tollgate/storage/database/schema";
import type { Control } from "../../kernel/context.ts";
import { putInForce } from "../actuations/put-in-force.ts";
import type { ExperimentRow } from "./experiment-row.ts";

/** Makes the gateway serve the agent's calls with the treatment, replacing any earlier switch; it can be undone. */
export async function promoteTreatment(
  transaction: ControlTransaction,
  parts: Pick<Control, "engine" | "now" | "newId">,
  { id, org_id, mode, agent_id, agent_key, treatment_model }: ExperimentRow,
  appliedBy: string,
): Promise<void> {
  await putInForce(
    transaction,
    parts,
    {
      id: parts.newId(),
      org_id,
      mode,
      agent_id,
      agent_key,
      optimization_type: "model_switch",
      payload: JSON.stringify({ model: treatment_model }),
      source: `experiment:${id}`,
      applied_by: appliedBy,
      applied_at: parts.now(),
      undone_at: null,
    },
    { authority: "experiment", actor: appliedBy },
  );
}
