import type { Actor } from "./context.ts";

/** How an actor is shown to other members of the organization. */
export function actorName(actor: Actor): string {
  return actor.kind === "member" ? actor.email : `key ${actor.keyId}`;
}
