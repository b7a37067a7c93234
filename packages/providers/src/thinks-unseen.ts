import { doesReason } from "@tollgate/core/models/curated-models";
import type { ProviderId } from "@tollgate/core/provider-id";
import { modelCapabilities } from "./anthropic/model-capabilities.ts";
import { fieldsOf, type JsonFields } from "./json-fields.ts";

/**
 * Whether a model may bill tokens that no frame of its stream shows: it thinks before, or between, its visible words.
 * The request decides where it says so, in any dialect; else the model does.
 */
export function thinksUnseen(provider: ProviderId, model: string, body: JsonFields): boolean {
  const effort = body.reasoning_effort ?? fieldsOf(body.reasoning)?.effort;
  if (typeof effort === "string") return effort !== "none";
  const thinking = fieldsOf(body.thinking)?.type;
  if (typeof thinking === "string") return thinking !== "disabled";
  const name = model.toLowerCase().replace(/^ft:/, "");
  if (provider === "anthropic") return !modelCapabilities(name).canDisableThinking;
  return doesReason(provider, name);
}
