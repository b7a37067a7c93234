import type { actuationResource } from "@tollgate/core/contract/actuations";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { actionClassOf, needsAcknowledgement } from "@tollgate/core/decisions/vocabulary";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { StoredRow } from "@tollgate/storage/database/schema";
import type { z } from "zod";

export function toActuation(row: StoredRow<"actuations">): z.infer<typeof actuationResource> {
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
    acknowledgement: {
      state: isAcknowledged ? "acknowledged" : needsAcknowledgement(authority) ? "pending" : "not_required",
      by: row.acknowledged_by,
      at: timeOrNull(row.acknowledged_at),
    },
  };
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : toIsoTime(at);
}
