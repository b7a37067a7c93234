import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { outcomeResource } from "@tollgate/core/contract/outcomes";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { StoredRow } from "@tollgate/storage/database/schema";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";
import { readMetadata } from "../../kernel/read-metadata.ts";

export type OutcomeRow = StoredRow<"outcomes">;

export async function toOutcome(context: Context, row: OutcomeRow): Promise<z.infer<typeof outcomeResource>> {
  return {
    id: row.id,
    org_id: row.org_id,
    name: row.name,
    session_id: row.session_id,
    agent_id: row.agent_id,
    event_id: row.event_id,
    outcome_type: row.outcome_type,
    source: fromRow("outcomes", row).source,
    success: row.success === null ? null : row.success === 1,
    value_cents: row.value_cents,
    notes: row.notes,
    metadata: readMetadata(row.metadata),
    confirmed_by: row.confirmed_by,
    confirmed_at: row.confirmed_at === null ? null : toIsoTime(row.confirmed_at),
    related_events: await relatedEvents(context, row),
    created_at: toIsoTime(row.created_at),
  };
}

async function relatedEvents({ readModel, scope }: Context, row: OutcomeRow): Promise<number> {
  if (row.session_id !== null) return (await readModel.session(scope, row.session_id, 0))?.calls ?? 0;
  if (row.event_id !== null) return (await readModel.event(scope, row.event_id)) === null ? 0 : 1;
  return 0;
}
