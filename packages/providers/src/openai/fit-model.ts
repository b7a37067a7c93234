import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isJsonObject, listOf } from "@tollgate/core/wire/json-fields";
import type { Effort } from "../canonical/request.ts";
import { dropExtensions } from "./drop-extensions.ts";
import { chatEffort, type ModelTraits, modelTraits, nearestEffort, readEffort } from "./model-traits.ts";

const samplingFields = [
  "temperature",
  "top_p",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
];

/** Adapts a chat request written for another model: omits or rewrites what this one would reject. */
export function fitChat(body: JsonObject, model: string): JsonObject {
  const traits = modelTraits(model);
  const fitted: Record<string, unknown> = { ...dropExtensions(body) };
  renameLimit(fitted, traits);
  const effort = chatEffort(model, readEffort(fitted.reasoning_effort), hasTools(body));
  if (effort === undefined) delete fitted.reasoning_effort;
  else fitted.reasoning_effort = effort;
  if (!takesSampling(traits, effort)) for (const name of samplingFields) delete fitted[name];
  if (!traits.takesStop) delete fitted.stop;
  if (!traits.takesParallelToolCalls) delete fitted.parallel_tool_calls;
  return fitted;
}

/** The same for a request to the Responses API. */
export function fitResponses(body: JsonObject, model: string): JsonObject {
  const traits = modelTraits(model);
  const fitted: Record<string, unknown> = { ...body };
  const reasoning = isJsonObject(body.reasoning) ? body.reasoning : undefined;
  const wanted = readEffort(reasoning?.effort);
  const effort = wanted === undefined ? undefined : nearestEffort(wanted, traits.efforts);
  if (reasoning !== undefined) {
    const { effort: _asked, ...rest } = reasoning;
    if (!traits.reasoning) delete fitted.reasoning;
    else fitted.reasoning = effort === undefined ? rest : { ...rest, effort };
  }
  if (!takesSampling(traits, effort)) {
    delete fitted.temperature;
    delete fitted.top_p;
    delete fitted.top_logprobs;
  }
  return fitted;
}

/** Reasoning models reject the old name, and the oldest models the new one. */
function renameLimit(body: Record<string, unknown>, { limitField }: ModelTraits): void {
  const other = limitField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  // Of two limits, the one that budgets reserve for.
  const limit = body.max_completion_tokens ?? body.max_tokens;
  delete body[other];
  if (limit !== undefined && limit !== null) body[limitField] = limit;
}

function takesSampling(traits: ModelTraits, effort: Effort | undefined): boolean {
  return !traits.reasoning || (traits.samplesWithoutReasoning && effort === "none");
}

function hasTools(body: JsonObject): boolean {
  return (listOf(body.tools) ?? []).length > 0;
}
