import type { Authority } from "@tollgate/core/decisions/vocabulary";
import { actorName } from "../../kernel/actor-name.ts";
import type { Actor } from "../../kernel/context.ts";

/** Who made a change, and by what right. */
export interface Cause {
  readonly authority: Authority;
  readonly actor: string;
}

export function causeOf(actor: Actor): Cause {
  return { authority: actor.kind === "member" ? "operator" : "api_key", actor: actorName(actor) };
}
