import { doesReason } from "@tollgate/core/models/curated-models";
import { canonicalName } from "@tollgate/core/pricing/model-name";
import type { ProviderId } from "@tollgate/core/provider-id";
import { type JsonObject, jsonObjectOf } from "@tollgate/core/wire/json-fields";
import { modelCapabilities } from "./anthropic/model-traits.ts";
import { modelTraits } from "./openai/model-traits.ts";

/**
 * Whether a model may bill tokens that no frame of its stream shows: thinking before or between visible text. A request
 * can ask for thinking in any dialect, but can disable it only if the model allows it.
 */
export function thinksUnseen(provider: ProviderId, model: string, body: JsonObject): boolean {
  if (asksToThink(body)) return true;
  const { effort, thinking } = asked(body);
  const name = canonicalName(provider, model);
  if (provider === "anthropic") return !modelCapabilities(name).canDisableThinking;
  const isNoneAsked = effort === "none" || thinking === "disabled";
  if (isNoneAsked && provider === "openai" && modelTraits(name).efforts.includes("none")) return false;
  // A model that was released after this was written is more likely to think than not.
  return doesReason(provider, name) ?? true;
}

/** Whether the request itself asks for it, in any dialect. */
export function asksToThink(body: JsonObject): boolean {
  const { effort, thinking } = asked(body);
  return (
    (typeof effort === "string" && effort !== "none") ||
    (typeof thinking === "string" && thinking !== "disabled")
  );
}

function asked(body: JsonObject): { readonly effort: unknown; readonly thinking: unknown } {
  return {
    effort: body.reasoning_effort ?? jsonObjectOf(body.reasoning)?.effort,
    thinking: jsonObjectOf(body.thinking)?.type,
  };
}
