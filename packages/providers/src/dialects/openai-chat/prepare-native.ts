import { isFields } from "@tollgate/core/wire/json-fields";
import type { JsonObject } from "../../dialect.ts";

/** Usage is asked for on every stream: a stream that was not asked for it ends without, and the call costs nothing. */
export function prepareNative(body: JsonObject, model: string): JsonObject {
  const options = isFields(body.stream_options) ? body.stream_options : {};
  const asksForUsage = body.stream === true && options.include_usage !== true;
  if (body.model === model && !asksForUsage) return body;
  return {
    ...body,
    model,
    ...(asksForUsage && { stream_options: { ...options, include_usage: true } }),
  };
}
