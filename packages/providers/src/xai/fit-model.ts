import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { nearestEffort, readEffort } from "../openai/model-traits.ts";
import { effortsOf, reasons } from "./encode-request.ts";

/** A chat request that was written for another model: what this one would refuse is left out, or said its way. */
export function fitModel(body: JsonObject, model: string): JsonObject {
  const fitted: Record<string, unknown> = { ...body };
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
