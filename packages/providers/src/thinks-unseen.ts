import { doesReason } from "@tollgate/core/models/curated-models";
import type { ProviderId } from "@tollgate/core/provider-id";
import { type JsonObject, jsonObjectOf } from "@tollgate/core/wire/json-fields";
import { modelCapabilities } from "./anthropic/model-traits.ts";
import { modelTraits } from "./openai/model-traits.ts";

/**
 * Whether a model may bill tokens that no frame of its stream shows: thinking before or between visible text. A request
 * can ask for thinking in any dialect, but can disable it only if the model allows it.
 */
export function thinksUnseen(provider: ProviderId, model: string, body: JsonObject): boolean {
  const effort = body.reasoning_effort ?? jsonObjectOf(body.reasoning)?.effort;
  const thinking = jsonObjectOf(body.thinking)?.type;
  if (typeof effort === "string" && effort !== "none") return true;
  if (typeof thinking === "string" && thinking !== "disabled") return true;
  const name = model.toLowerCase().replace(/^ft:/, "");
  if (provider === "anthropic") return !modelCapabilities(name).canDisableThinking;
  const isNoneAsked = effort === "none" || thinking === "disabled";
  if (isNoneAsked && provider === "openai" && modelTraits(name).efforts.includes("none")) return false;
  return doesReason(provider, name);
}
