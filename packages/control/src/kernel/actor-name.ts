import type { Actor } from "./context.ts";

/** How whoever acted is shown to others of the organization. */
export function actorName(actor: Actor): string {
  return actor.kind === "member" ? actor.email : `key ${actor.keyId}`;
}
