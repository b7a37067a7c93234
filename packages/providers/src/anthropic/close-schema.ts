import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";

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

/** Values are schemas by name: a property called `minimum` is not a bound. */
const namedSchemas = new Set(["properties", "$defs", "definitions"]);
/** Values are data, not schemas. */
const literals = new Set(["const", "enum", "default", "examples", "required"]);

export function closeSchema(schema: JsonObject): JsonObject {
  const closed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (refusedBounds.has(key)) continue;
    if (key === "minItems" && value !== 0 && value !== 1) continue;
    if (literals.has(key)) closed[key] = value;
    else if (namedSchemas.has(key) && isJsonObject(value)) {
      closed[key] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, closeValue(inner)]),
      );
    } else closed[key] = closeValue(value);
  }
  const isObject = schema.type === "object" || isJsonObject(schema.properties);
  if (isObject && schema.additionalProperties === undefined) closed.additionalProperties = false;
  return closed;
}

function closeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeValue);
  return isJsonObject(value) ? closeSchema(value) : value;
}
