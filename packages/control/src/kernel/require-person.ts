import { fail } from "@tollgate/core/errors";
import type { Actor } from "./context.ts";

/** For operations that only a signed-in member may call; an API key has no account. */
export function requirePerson(actor: Actor): Extract<Actor, { kind: "member" }> {
  if (actor.kind !== "member") throw fail("insufficient_role", "Only a signed-in person can do this");
  return actor;
}
