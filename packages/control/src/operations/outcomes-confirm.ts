import type { outcomesConfirm as operation } from "@tollgate/core/contract/outcomes-confirm";
import type { Actor } from "../context.ts";
import { findOutcome } from "./find-outcome.ts";
import type { Handler } from "./handler.ts";
import { toOutcome } from "./to-outcome.ts";

export const outcomesConfirm: Handler<typeof operation> = async (context, input) => {
  await findOutcome(context, input.id);
  await context.db
    .updateTable("outcomes")
    .set({ confirmed_by: input.confirmed_by ?? nameOf(context.actor), confirmed_at: context.now() })
    .where("org_id", "=", context.scope.orgId)
    .where("mode", "=", context.scope.mode)
    .where("id", "=", input.id)
    // The first confirmation stands, also when two come at once.
    .where("confirmed_at", "is", null)
    .execute();
  return await toOutcome(context, await findOutcome(context, input.id));
};

function nameOf(actor: Actor): string {
  return actor.kind === "member" ? actor.email : `key ${actor.keyId}`;
}
