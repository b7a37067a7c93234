import { breakerStateOf } from "@tollgate/core/breaker/breaker-state";
import type { actuationResource } from "@tollgate/core/contract/actuations";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { actionClassOf, needsAcknowledgement } from "@tollgate/core/decisions/vocabulary";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { StoredRow } from "@tollgate/storage/database/schema";
import type { z } from "zod";

type Resource = z.infer<typeof actuationResource>;

/** With what is known of the switch, if it is one. */
export type ActuationRow = StoredRow<"actuations"> & {
  readonly undone_at: number | null;
  /** null: the agent has no settings of its own. */
  readonly breaker_off: number | null;
};

export function toActuation(row: ActuationRow, now: number): Resource {
  const { action_type, change, authority, rollback_reason } = fromRow("actuations", row);
  const isAcknowledged = row.acknowledged_at !== null;
  return {
    id: row.id,
    agent_id: row.agent_id,
    action_type,
    action_class: actionClassOf(action_type),
    change,
    subject_id: row.subject_id,
    authority,
    actor: row.actor,
    timing: {
      asked_at: toIsoTime(row.asked_at),
      applied_at: toIsoTime(row.applied_at),
      first_obeyed_at: timeOrNull(row.first_obeyed_at),
    },
    rollback: {
      state: row.rolled_back_at === null ? "none" : "rolled_back",
      reason: rollback_reason,
      by: row.rolled_back_by,
      at: timeOrNull(row.rolled_back_at),
    },
    breaker:
      action_type === "model_switch" && change === "apply" ? breakerOf(row, rollback_reason, now) : null,
    acknowledgement: {
      state: isAcknowledged ? "acknowledged" : needsAcknowledgement(authority) ? "pending" : "not_required",
      by: row.acknowledged_by,
      at: timeOrNull(row.acknowledged_at),
    },
  };
}

function breakerOf(
  { applied_at, undone_at, breaker_off }: ActuationRow,
  rollbackReason: Resource["rollback"]["reason"],
  now: number,
): Resource["breaker"] {
  const { state, untilMs } = breakerStateOf(
    { appliedAtMs: applied_at, undoneAtMs: undone_at, rollbackReason, isBreakerOff: breaker_off === 1 },
    now,
  );
  return { state, until: timeOrNull(untilMs) };
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : toIsoTime(at);
}
