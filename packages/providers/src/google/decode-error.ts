import { type JsonObject, jsonObjectOf, listOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";

/** `{error: {code, message, status, details}}`; without `alt=sse` it is wrapped in an array. */
export function decodeError(status: number, body: unknown): CanonicalError {
  const error = errorOf(body);
  const message = nonEmpty(error?.message) ?? `google answered with status ${status}`;
  const type = nonEmpty(error?.status);
  const details = (listOf(error?.details) ?? []).map(jsonObjectOf);
  const code = details.map(detail => nonEmpty(detail?.reason)).find(reason => reason !== undefined);
  const retryAfterSeconds = details.map(detail => readSeconds(detail?.retryDelay)).find(isShort);
  return {
    status,
    message,
    ...(type && { type }),
    // A bad key is a plain 400 INVALID_ARGUMENT; only the reason (API_KEY_INVALID) distinguishes it from a bad request.
    ...(code && { code }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

function errorOf(body: unknown): JsonObject | undefined {
  return jsonObjectOf(jsonObjectOf(withoutArray(body))?.error);
}

/** Only an error is taken out of its array: an array of chunks is a stream in another format, and its first is not all. */
export function withoutArray(body: unknown): unknown {
  const first = Array.isArray(body) ? jsonObjectOf(body[0]) : undefined;
  return first?.error === undefined || first.error === null ? body : first;
}

/** A client that waits for longer, without a word, seems to hang. */
const MAX_RETRY_AFTER_SECONDS = 60;

function isShort(seconds: number | undefined): boolean {
  return seconds !== undefined && seconds <= MAX_RETRY_AFTER_SECONDS;
}

/** `"37s"`, `"1.5s"` */
function readSeconds(value: unknown): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(nonEmpty(value) ?? "")?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds));
}

/** A failure after the stream started: only the frame has the status. */
export function decodeStreamError(frame: unknown): CanonicalError {
  const code = errorOf(frame)?.code;
  const isErrorStatus = typeof code === "number" && Number.isInteger(code) && code >= 400 && code <= 599;
  return decodeError(isErrorStatus ? code : 502, frame);
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
