import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { mapSchemas } from "../map-schemas.ts";

/**
 * Anthropic's structured output rejects an object schema without `additionalProperties: false`, and a few bounds that
 * other providers accept or ignore. Bounds only narrow what is valid, so they are omitted; a deliberately open object
 * stays open, because closing it would forbid what the caller asked for.
 */
const refusedBounds = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);

export function closeSchema(schema: JsonObject): JsonObject {
  return mapSchemas(schema, closeOne);
}

function closeOne(schema: JsonObject): JsonObject {
  const closed = Object.fromEntries(Object.entries(schema).filter(([key, value]) => !isRefused(key, value)));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const isObject = types.includes("object") || isJsonObject(schema.properties);
  if (isObject && schema.additionalProperties === undefined) closed.additionalProperties = false;
  return closed;
}

function isRefused(key: string, value: unknown): boolean {
  return refusedBounds.has(key) || (key === "minItems" && value !== 0 && value !== 1);
}
