import { jsonObjectOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";

/** `{error: {code, message, status, details}}`; without `alt=sse` it is wrapped in an array. */
export function decodeError(status: number, body: unknown): CanonicalError {
  const error = jsonObjectOf(jsonObjectOf(Array.isArray(body) ? body[0] : body)?.error);
  const message = nonEmpty(error?.message) ?? `google answered with status ${status}`;
  const type = nonEmpty(error?.status);
  const code = reasonOf(error?.details);
  return { status, message, ...(type && { type }), ...(code && { code }) };
}

/** A failure after the stream started: only the frame has the status. */
export function decodeStreamError(frame: unknown): CanonicalError {
  const code = jsonObjectOf(jsonObjectOf(frame)?.error)?.code;
  const isErrorStatus = typeof code === "number" && Number.isInteger(code) && code >= 400 && code <= 599;
  return decodeError(isErrorStatus ? code : 502, frame);
}

/** A bad key is a plain 400 INVALID_ARGUMENT; only the reason (API_KEY_INVALID) distinguishes it from a bad request. */
function reasonOf(details: unknown): string | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const reason = nonEmpty(jsonObjectOf(detail)?.reason);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
