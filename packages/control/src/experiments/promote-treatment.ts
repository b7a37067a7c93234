import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { ControlTransaction } from "@tollgate/storage/database/schema";
import type { Control } from "../kernel/context.ts";
import type { ExperimentRow } from "./experiment-row.ts";

/** Makes the gateway serve the agent's calls with the treatment, replacing any earlier switch; it can be undone. */
export async function promoteTreatment(
  transaction: ControlTransaction,
  { engine, now, newId }: Pick<Control, "engine" | "now" | "newId">,
  { id, org_id, mode, agent_id, agent_key, treatment_model }: ExperimentRow,
  appliedBy: string,
): Promise<void> {
  // Of two concurrent switches, the second replaces the first.
  await lockOrganization(transaction, engine, org_id);
  const at = now();
  await transaction
    .updateTable("optimizations")
    .set({ undone_at: at })
    .where("org_id", "=", org_id)
    .where("mode", "=", mode)
    .where("agent_id", "=", agent_id)
    .where("optimization_type", "=", "model_switch")
    .where("undone_at", "is", null)
    .execute();
  await transaction
    .insertInto("optimizations")
    .values({
      id: newId(),
      org_id,
      mode,
      agent_id,
      agent_key,
      optimization_type: "model_switch",
      payload: JSON.stringify({ model: treatment_model }),
      source: `experiment:${id}`,
      applied_by: appliedBy,
      applied_at: at,
      undone_at: null,
    })
    .execute();
}
