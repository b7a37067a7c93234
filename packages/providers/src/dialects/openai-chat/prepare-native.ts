import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isJsonObject } from "@tollgate/core/wire/json-fields";

/** Requests usage for every stream: otherwise it ends without any, and the call would seem to cost nothing. */
export function prepareNative(body: JsonObject, model: string): JsonObject {
  const options = isJsonObject(body.stream_options) ? body.stream_options : {};
  const asksForUsage = body.stream === true && options.include_usage !== true;
  if (body.model === model && !asksForUsage) return body;
  return {
    ...body,
    model,
    ...(asksForUsage && { stream_options: { ...options, include_usage: true } }),
  };
}
