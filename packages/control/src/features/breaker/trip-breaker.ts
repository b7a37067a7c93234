import { breakerAlert } from "@tollgate/core/breaker/breaker-alert";
import type { Worsening } from "@tollgate/core/breaker/switch-watch";
import type { StoredRow } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { toScope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { readMetadata } from "../../kernel/read-metadata.ts";
import type { Cause } from "../actuations/cause-of.ts";
import { switchedModel } from "../actuations/switched-model.ts";
import { undoOptimization } from "../actuations/undo-optimization.ts";
import { raiseAlert } from "../alerts/raise-alert.ts";
import { endExperiment } from "../experiments/end-experiment.ts";
import { openStatuses } from "../experiments/experiment-row.ts";

export type BreakerParts = Pick<Control, "db" | "engine" | "now" | "newId" | "wakeSender" | "experiments">;

const cause: Cause = { authority: "breaker", actor: "breaker" };

/**
 * Undoes a switch, with its actuation and its alert in the same transaction. Only one process can do it; resolves with
 * whether this one did.
 */
export async function tripBreaker(
  parts: BreakerParts,
  row: StoredRow<"optimizations">,
  worsening: Worsening,
): Promise<boolean> {
  const scope = toScope(row);
  await endExperiments(parts, row);
  const model = switchedModel(row.payload) ?? "";
  const draft = breakerAlert(
    { optimizationId: row.id, agent: { id: row.agent_id, agentKey: row.agent_key }, model },
    worsening,
  );
  try {
    return await raiseAlert(parts, scope, draft, async transaction => {
      const undone = await undoOptimization(transaction, parts, row, cause, worsening.reason);
      if (undone === null) throw new AlreadyUndone();
      // The verdict about this model turned out wrong, so it must not back the next switch.
      await transaction
        .updateTable("verdicts")
        .set({ invalidated_at: parts.now(), invalid_reason: "breaker" })
        .where(inScope(scope))
        .where("agent_id", "=", row.agent_id)
        // With its provider's prefix where the bare name would be routed elsewhere.
        .where("candidate_model", "in", [model, String(readMetadata(row.payload).model)])
        .where("invalidated_at", "is", null)
        .execute();
    });
  } catch (fault) {
    if (fault instanceof AlreadyUndone) return false;
    throw fault;
  }
}

/** Thrown to roll back the alert as well. */
class AlreadyUndone extends Error {}

/** Its control is the switched model: once the switch is undone, another model would be counted as the control. */
async function endExperiments(parts: BreakerParts, row: StoredRow<"optimizations">): Promise<void> {
  const open = await parts.db
    .selectFrom("experiments")
    .select("id")
    .where(inScope(toScope(row)))
    .where("agent_id", "=", row.agent_id)
    .where("status", "in", openStatuses)
    .execute();
  for (const { id } of open) {
    await endExperiment(parts, id, { reason: "stopped", promote: false, cause, at: parts.now() });
  }
}
