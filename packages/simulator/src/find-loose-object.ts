import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { listOf, objectOf } from "./json-object.ts";

/**
 * The first place where a schema is too open for strict output: an object that allows other properties or, with
 * `requiresAll`, has an optional one. null: none. A path like `properties.city`, "" for the root.
 */
export function findLooseObject(schema: unknown, requiresAll: boolean, path = ""): string | null {
  if (!isJsonObject(schema)) return null;
  if (isLoose(schema, requiresAll)) return path;
  for (const [at, inner] of innerSchemas(schema)) {
    const found = findLooseObject(inner, requiresAll, path === "" ? at : `${path}.${at}`);
    if (found !== null) return found;
  }
  return null;
}

function isLoose(schema: JsonObject, requiresAll: boolean): boolean {
  if (schema.type !== "object" && !isJsonObject(schema.properties)) return false;
  if (schema.additionalProperties !== false) return true;
  const required = new Set(listOf(schema.required));
  return requiresAll && Object.keys(objectOf(schema.properties)).some(key => !required.has(key));
}

/** The schemas directly within a schema, each with its path. */
export function innerSchemas(schema: JsonObject): [string, unknown][] {
  const named = ["properties", "$defs", "definitions"].flatMap(field =>
    Object.entries(objectOf(schema[field])).map(([key, inner]): [string, unknown] => [
      `${field}.${key}`,
      inner,
    ]),
  );
  const listed = ["anyOf", "allOf", "oneOf", "prefixItems"].flatMap(field =>
    listOf(schema[field]).map((inner, at): [string, unknown] => [`${field}.${at}`, inner]),
  );
  return [...named, ...listed, ["items", schema.items]];
}
