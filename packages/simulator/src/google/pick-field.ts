import type { JsonObject } from "@tollgate/core/wire/json-fields";

/** Gemini accepts every field in camelCase and in snake_case. */
export function pickField(object: JsonObject, camel: string): unknown {
  return object[camel] ?? object[camel.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)];
}

export function toCamel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
