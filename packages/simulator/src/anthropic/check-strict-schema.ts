import { isJsonObject } from "@tollgate/core/wire/json-fields";
import { findLooseObject, innerSchemas } from "../find-loose-object.ts";
import { textOf } from "../json-object.ts";

const bounds =
  `minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems
  minProperties maxProperties`.split(/\s+/);

/** Why a schema cannot be compiled for structured output or a strict tool; null if it can. */
export function checkStrictSchema(schema: unknown): string | null {
  const loose = findLooseObject(schema, false);
  if (loose === null) return findBounds(schema);
  return `For 'object' type, 'additionalProperties' must be explicitly set to false (${loose}).`;
}

function findBounds(schema: unknown): string | null {
  if (!isJsonObject(schema)) return null;
  const found = bounds.filter(name => schema[name] !== undefined);
  if (found.length > 0) {
    return `For '${textOf(schema.type)}' type, properties ${found.sort().join(", ")} are not supported`;
  }
  for (const [, inner] of innerSchemas(schema)) {
    const problem = findBounds(inner);
    if (problem !== null) return problem;
  }
  return null;
}
