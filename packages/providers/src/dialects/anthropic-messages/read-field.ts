import { fail, type TollgateError } from "@tollgate/core/errors";
import { numberOf } from "@tollgate/core/wire/exact-json";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";

/** Typed access to a client's body. null counts as absent: official clients send it for unset options. */
export const readField = {
  string: (object: JsonObject, name: string, path: string) =>
    optional(object, name, path, "a string", value => typeof value === "string"),
  number: (object: JsonObject, name: string, path: string) =>
    numberOf(
      optional(object, name, path, "a number", (value): value is unknown => numberOf(value) !== undefined),
    ),
  boolean: (object: JsonObject, name: string, path: string) =>
    optional(object, name, path, "true or false", value => typeof value === "boolean"),
  object: (object: JsonObject, name: string, path: string) =>
    optional(object, name, path, "an object", isJsonObject),
  array: (object: JsonObject, name: string, path: string) =>
    optional(object, name, path, "an array", (value): value is readonly unknown[] => Array.isArray(value)),
};

export function requireString(object: JsonObject, name: string, path: string): string {
  const value = object[name];
  if (typeof value !== "string") throw mustBe(path, name, "a string");
  return value;
}

export function requireObject(value: unknown, path: string): JsonObject {
  if (!isJsonObject(value)) throw fail("invalid_request", `\`${path}\` must be an object`);
  return value;
}

function optional<T>(
  object: JsonObject,
  name: string,
  path: string,
  what: string,
  is: (value: unknown) => value is T,
): T | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  if (!is(value)) throw mustBe(path, name, what);
  return value;
}

function mustBe(path: string, name: string, what: string): TollgateError {
  return fail("invalid_request", `\`${path === "" ? name : `${path}.${name}`}\` must be ${what}`);
}
