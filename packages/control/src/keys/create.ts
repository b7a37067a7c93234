import { fail } from "@tollgate/core/errors";
import { type KeyCreator, newKey } from "@tollgate/storage/config/new-key";
import type { Actor } from "../kernel/context.ts";
import type { Handler } from "../kernel/handler.ts";
import { shownKey } from "./to-key.ts";

/** Only the digest is stored: this response is the only place where the key's text appears. */
export const keysCreate: Handler<"keys.create"> = async (context, input) => {
  const mode = input.mode ?? context.scope.mode;
  if (context.actor.kind === "key" && context.scope.mode === "test" && mode === "live") {
    throw fail("insufficient_scope", "A key for test traffic cannot create a live one");
  }
  const { key, row } = newKey({
    id: context.newId(),
    orgId: context.organization.id,
    mode,
    permission: input.scope,
    role: context.actor.role,
    name: input.name ?? null,
    creator: creatorOf(context.actor),
    now: context.now(),
  });
  await context.db.insertInto("api_keys").values(row).execute();
  return { ...shownKey(row), key };
};

/** A key that creates another passes on its own creator, and with that the bound on its permission. */
function creatorOf(actor: Actor): KeyCreator {
  return actor.kind === "key" ? actor.creator : { shownAs: actor.email, userId: actor.userId };
}
