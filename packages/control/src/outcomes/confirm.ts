import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { enqueueWebhooks } from "../delivery/enqueue-webhooks.ts";
import { actorName } from "../kernel/actor-name.ts";
import type { Handler } from "../kernel/handler.ts";
import { findOutcome } from "./find-outcome.ts";
import { toOutcome } from "./to-outcome.ts";

export const outcomesConfirm: Handler<"outcomes.confirm"> = async (context, input) => {
  const { scope } = context;
  // Read before the transaction, which would block the read model.
  const outcome = await toOutcome(context, await findOutcome(context, input.id));
  const confirmedBy = input.confirmed_by ?? actorName(context.actor);
  const confirmedAt = context.now();
  const receivers = await context.db.transaction().execute(async transaction => {
    const { numUpdatedRows } = await transaction
      .updateTable("outcomes")
      .set({ confirmed_by: confirmedBy, confirmed_at: confirmedAt })
      .where("org_id", "=", scope.orgId)
      .where("mode", "=", scope.mode)
      .where("id", "=", input.id)
      // The first confirmation counts and is sent once, even if two are concurrent.
      .where("confirmed_at", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return null;
    return await enqueueWebhooks(transaction, context, scope, "outcome.confirmed", outcome.id, {
      id: outcome.id,
      org_id: outcome.org_id,
      name: outcome.name,
      session_id: outcome.session_id,
      confirmed_by: confirmedBy,
      confirmed_at: toIsoTime(confirmedAt),
      related_events: outcome.related_events,
    });
  });
  if (receivers !== null) context.wakeSender(receivers);
  return await toOutcome(context, await findOutcome(context, input.id));
};
