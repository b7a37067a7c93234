import { jsonObjectOf } from "@tollgate/core/wire/json-fields";

/** OpenAI's rule for `strict`: every object names all its properties as required and allows no others. */
export function isClosedSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosedSchema);
  const fields = jsonObjectOf(schema);
  if (fields === undefined) return true;
  const properties = jsonObjectOf(fields.properties);
  const isObject = fields.type === "object" || properties !== undefined;
  if (isObject && !isClosedObject(fields, Object.keys(properties ?? {}))) return false;
  return Object.values(fields).every(isClosedSchema);
}

function isClosedObject(fields: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  const required: unknown[] = Array.isArray(fields.required) ? fields.required : [];
  return fields.additionalProperties === false && names.every(name => required.includes(name));
}
