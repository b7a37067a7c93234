import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isJsonObject } from "@tollgate/core/wire/json-fields";

/** Usage is asked for on every stream: a stream that was not asked for it ends without, and the call costs nothing. */
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
