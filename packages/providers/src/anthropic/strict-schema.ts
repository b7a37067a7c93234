import { type JsonObject, jsonObjectOf } from "@tollgate/core/wire/json-fields";
import { schemasIn } from "../map-schemas.ts";
import { closeSchema } from "./close-schema.ts";

/**
 * A strict tool's schema obeys the rules of structured output. Where it does not, the schema is kept and `strict` is
 * not: without its bounds a tool would accept anything, and Claude follows schemas that do not bind it, too.
 */
export function isAcceptedStrictly(schema: JsonObject): boolean {
  return (
    JSON.stringify(closeSchema(schema)) === JSON.stringify(schema) &&
    schemasIn(schema).every(({ additionalProperties = false }) => additionalProperties === false) &&
    !isRecursive(schema)
  );
}

/** How many schemas within a schema allow one of several types. */
export function countUnions(schema: JsonObject): number {
  return schemasIn(schema).filter(({ type, anyOf }) => Array.isArray(type) || Array.isArray(anyOf)).length;
}

function isRecursive(schema: JsonObject): boolean {
  const open = new Set<string>();
  const closed = new Set<string>();
  function reachesItself(ref: string): boolean {
    if (open.has(ref)) return true;
    if (closed.has(ref)) return false;
    open.add(ref);
    const found = refsIn(resolve(schema, ref)).some(reachesItself);
    open.delete(ref);
    closed.add(ref);
    return found;
  }
  return refsIn(schema).some(reachesItself);
}

function refsIn(schema: JsonObject | undefined): string[] {
  if (schema === undefined) return [];
  return schemasIn(schema).flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
}

/** `#/$defs/node`; undefined if there is no such schema. */
function resolve(root: JsonObject, ref: string): JsonObject | undefined {
  const [start, ...steps] = ref.split("/");
  if (start !== "#") return undefined;
  let found: unknown = root;
  for (const step of steps) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = Array.isArray(found) ? found[Number(name)] : jsonObjectOf(found)?.[name];
  }
  return jsonObjectOf(found);
}
