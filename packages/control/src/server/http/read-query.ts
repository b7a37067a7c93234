import { fail } from "@tollgate/core/errors";
import type { z } from "zod";
import { refuseUnsafe } from "./refuse-unsafe.ts";

/**
 * A query is text; the operation defines which of its fields are numbers and booleans. A value that does not look
 * like one stays text and is then refused by the schema.
 */
export function readQuery(search: URLSearchParams, shape: z.ZodObject | undefined): Record<string, unknown> {
  const query = new Map<string, unknown>();
  for (const [name, text] of search) {
    if (query.has(name)) throw fail("invalid_request", `${name.slice(0, 100)} is given more than once`);
    const field = shape !== undefined && Object.hasOwn(shape.shape, name) ? shape.shape[name] : undefined;
    query.set(name, fromText(text, field === undefined ? "string" : kindOf(field)));
  }
  const record = Object.fromEntries(query);
  refuseUnsafe(record);
  return record;
}

function fromText(text: string, kind: string): unknown {
  if (kind === "number" && /^-?\d{1,17}(\.\d{1,9})?$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** The type inside "optional" and "default", or of the values that are allowed. */
function kindOf(field: z.core.$ZodType): string {
  const { def } = field._zod;
  if ("innerType" in def) return kindOf(def.innerType as z.core.$ZodType);
  return "values" in def && Array.isArray(def.values) ? typeof def.values[0] : def.type;
}
