import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { mapSchemas } from "../map-schemas.ts";

/**
 * OpenAI rejects an object schema without `properties` and an array schema without `items`; other providers, and so
 * many MCP servers, omit what is empty.
 */
export function completeSchema(schema: JsonObject): JsonObject {
  return mapSchemas(schema, completeOne);
}

function completeOne(schema: JsonObject): JsonObject {
  return {
    ...schema,
    ...(isOfType(schema, "object") && schema.properties === undefined && { properties: {} }),
    ...(isOfType(schema, "array") &&
      schema.items === undefined &&
      schema.prefixItems === undefined && { items: {} }),
  };
}

function isOfType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}
