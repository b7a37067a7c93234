import { isJsonObject } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";
import { errorStatusOf, errorTypeOf } from "./error-type.ts";

/**
 * `{type: "error", error: {type, message}}`; anything else (a proxy's page, an empty body) is described by its status.
 */
export function decodeError(status: number, body: unknown): CanonicalError {
  const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : {};
  const { type, message } = error;
  return {
    status,
    message:
      typeof message === "string" && message !== "" ? message : `anthropic answered with status ${status}`,
    type: typeof type === "string" && type !== "" ? type : errorTypeOf(status),
  };
}

/** The `error` event of a stream: the response status was 200, so the type has to indicate the real one. */
export function decodeStreamError(frame: unknown): CanonicalError {
  const error = isJsonObject(frame) && isJsonObject(frame.error) ? frame.error : {};
  return decodeError(typeof error.type === "string" ? errorStatusOf(error.type) : 500, frame);
}
