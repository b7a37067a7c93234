import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";

/** Values are schemas by name: a property called `minimum` is not a bound. */
const namedSchemas = new Set(["properties", "$defs", "definitions"]);
/** Values are data, not schemas. */
const literals = new Set(["const", "enum", "default", "examples", "required"]);

/** A JSON schema with `change` applied to it and to every schema in it, inner ones first. */
export function mapSchemas(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const mapped: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (literals.has(key)) mapped[key] = value;
    else if (namedSchemas.has(key) && isJsonObject(value)) {
      mapped[key] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, mapValue(inner, change)]),
      );
    } else mapped[key] = mapValue(value, change);
  }
  return change(mapped);
}

function mapValue(value: unknown, change: (schema: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map(inner => mapValue(inner, change));
  return isJsonObject(value) ? mapSchemas(value, change) : value;
}

/** A JSON schema and every schema in it, inner ones first. */
export function schemasIn(schema: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  mapSchemas(schema, each => {
    found.push(each);
    return each;
  });
  return found;
}
