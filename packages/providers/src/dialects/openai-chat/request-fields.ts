import { fail, type TollgateError } from "@tollgate/core/errors";
import { numberOf } from "@tollgate/core/wire/exact-json";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";

/**
 * Reads optional fields of a client's request. null counts as absent, as it does at OpenAI; a wrong type is a 400 whose
 * sentence names the field and never quotes its value.
 */

export function invalid(field: string, rule: string): TollgateError {
  return fail("invalid_request", `\`${field}\` ${rule}`);
}

export function readString(body: JsonObject, field: string, path = field): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalid(path, "must be a string");
  return value;
}

export function requireString(body: JsonObject, field: string, path = field): string {
  const value = body[field];
  if (typeof value !== "string" || value === "") throw invalid(path, "must be a non-empty string");
  return value;
}

export function readBoolean(body: JsonObject, field: string, path = field): boolean | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw invalid(path, "must be a boolean");
  return value;
}

export function readNumber(body: JsonObject, field: string, path = field): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  const number = numberOf(value);
  if (number === undefined || !Number.isFinite(number)) throw invalid(path, "must be a number");
  return number;
}

/** With a limit of 0 or less, a budget would reserve nothing, or release money. */
export function readPositiveInteger(body: JsonObject, field: string): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)
    throw invalid(field, "must be an integer of at least 1");
  return value;
}

export function readObject(body: JsonObject, field: string, path = field): JsonObject | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw invalid(path, "must be an object");
  return value;
}

export function readList(body: JsonObject, field: string, path = field): readonly unknown[] | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalid(path, "must be an array");
  return value;
}

export function requireObject(value: unknown, path: string): JsonObject {
  if (!isJsonObject(value)) throw invalid(path, "must be an object");
  return value;
}
