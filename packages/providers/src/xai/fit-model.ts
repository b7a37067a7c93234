import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { dropExtensions } from "../openai/drop-extensions.ts";
import { nearestEffort, readEffort } from "../openai/model-traits.ts";
import { effortsOf, reasons } from "./encode-request.ts";

/** Adapts a chat request written for another model: omits or rewrites what this one would reject. */
export function fitModel(body: JsonObject, model: string): JsonObject {
  const fitted: Record<string, unknown> = { ...dropExtensions(body) };
  if (reasons(model)) {
    delete fitted.frequency_penalty;
    delete fitted.presence_penalty;
    delete fitted.stop;
  }
  const asked = readEffort(body.reasoning_effort);
  const effort = asked === undefined ? undefined : nearestEffort(asked, effortsOf(model));
  if (effort === undefined) delete fitted.reasoning_effort;
  else fitted.reasoning_effort = effort;
  return fitted;
}
