import { isJsonObject, jsonObjectOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";

/** `{"error":{"message","type","param","code"}}`; anything else is described by its status alone. */
export function decodeError(status: number, body: unknown): CanonicalError {
  return readErrorBody(status, body) ?? { status, message: `OpenAI answered with status ${status}` };
}

/**
 * The bodies of both families: OpenAI's object under `error`, and xAI's `{"code","error":"<sentence>"}`. undefined:
 * neither.
 */
export function readErrorBody(status: number, body: unknown): CanonicalError | undefined {
  const fields = jsonObjectOf(body);
  if (fields === undefined) return undefined;
  const inner = fields.error;
  if (isJsonObject(inner)) {
    const message = nameOf(inner.message);
    return message === undefined ? undefined : withNames(status, message, inner);
  }
  const message = nameOf(inner);
  return message === undefined ? undefined : withNames(status, message, { code: fields.code });
}

function withNames(
  status: number,
  message: string,
  names: { type?: unknown; code?: unknown; param?: unknown },
): CanonicalError {
  const type = nameOf(names.type);
  const code = typeof names.code === "number" ? String(names.code) : nameOf(names.code);
  const param = nameOf(names.param);
  return {
    status,
    message,
    ...(type !== undefined && { type }),
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
  };
}

/** An error inside a stream has no status line: its own code replaces it. */
export function decodeStreamError(frame: unknown): CanonicalError {
  const error = readErrorBody(500, frame) ?? {
    status: 500,
    message: "the provider reported an error in its stream",
  };
  return { ...error, status: statusOf(error) };
}

/** An error where an answer was expected, with the status of a success. null: an answer. */
export function readWholeError(body: unknown, answer: unknown): CanonicalError | null {
  const hasError = (jsonObjectOf(body)?.error ?? null) !== null;
  return hasError && !Array.isArray(answer) ? decodeStreamError(body) : null;
}

/** Codes of a failed response that blame the request: a second attempt would fail, too. */
const requestFaults: ReadonlySet<unknown> = new Set([
  "invalid_prompt",
  "data_residency_mismatch",
  "invalid_image",
  "invalid_image_format",
  "invalid_base64_image",
  "invalid_image_url",
  "invalid_image_mode",
  "image_too_large",
  "image_too_small",
  "image_parse_error",
  "image_content_policy_violation",
  "image_file_too_large",
  "image_file_not_found",
  "unsupported_image_media_type",
  "empty_image_file",
  "failed_to_download_image",
]);

function statusOf(error: CanonicalError): number {
  const numeric = Number(error.code);
  if (Number.isInteger(numeric) && numeric >= 400 && numeric <= 599) return numeric;
  const words = `${error.type ?? ""} ${error.code ?? ""}`;
  if (/rate_limit|insufficient_quota|resource-exhausted/.test(words)) return 429;
  if (/overloaded|unavailable/.test(words)) return 503;
  if (/invalid_request|invalid-argument|context_length/.test(words)) return 400;
  if (requestFaults.has(error.code)) return 400;
  return 500;
}
