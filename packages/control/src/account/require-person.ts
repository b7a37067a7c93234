import { fail } from "@tollgate/core/errors";
import type { Actor } from "../kernel/context.ts";

/** For operations on what only a person has: an account, a password, sessions. */
export function requirePerson(actor: Actor): Extract<Actor, { kind: "member" }> {
  if (actor.kind !== "member") throw fail("insufficient_role", "Only a signed-in person can do this");
  return actor;
}
