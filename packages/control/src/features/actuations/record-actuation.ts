import type { ActuationChange, ActuationType, RollbackReason } from "@tollgate/core/decisions/vocabulary";
import type { ControlTransaction } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import type { Cause } from "./cause-of.ts";

export interface NewActuation {
  readonly scope: Scope;
  /** null: the whole organization. */
  readonly agent: { readonly id: string; readonly agentKey: string } | null;
  readonly type: ActuationType;
  readonly change: ActuationChange;
  /** The optimization, budget, experiment or agent. */
  readonly subjectId: string;
  readonly cause: Cause;
  readonly askedAt: number;
}

/**
 * Records a change that the gateway obeys, in the change's own transaction: neither exists without the other. Resolves
 * with the actuation's id.
 */
export async function recordActuation(
  transaction: ControlTransaction,
  { newId, now }: Pick<Control, "newId" | "now">,
  { scope, agent, type, change, subjectId, cause, askedAt }: NewActuation,
): Promise<string> {
  const id = newId();
  await transaction
    .insertInto("actuations")
    .values({
      id,
      org_id: scope.orgId,
      mode: scope.mode,
      agent_id: agent?.id ?? null,
      agent_key: agent?.agentKey ?? null,
      action_type: type,
      change,
      subject_id: subjectId,
      authority: cause.authority,
      actor: cause.actor,
      asked_at: askedAt,
      applied_at: Math.max(askedAt, now()),
    })
    .execute();
  return id;
}

interface Rollback {
  readonly scope: Scope;
  readonly type: ActuationType;
  /** The change that is reversed. */
  readonly change: ActuationChange;
  readonly subjectId: string;
  readonly reason: RollbackReason;
  readonly by: string;
  readonly at: number;
}

/** Marks the change that is reversed; what reverses it is an actuation of its own. */
export async function markRolledBack(
  transaction: ControlTransaction,
  { scope, type, change, subjectId, reason, by, at }: Rollback,
): Promise<void> {
  await transaction
    .updateTable("actuations")
    .set({ rolled_back_at: at, rollback_reason: reason, rolled_back_by: by })
    .where(inScope(scope))
    .where("action_type", "=", type)
    .where("change", "=", change)
    .where("subject_id", "=", subjectId)
    .where("rolled_back_at", "is", null)
    .execute();
}
