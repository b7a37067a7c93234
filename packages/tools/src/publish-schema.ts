import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { z } from "zod";

/** What the protocol's library asks of a schema; what it validates has been validated by the tool itself. */
export interface PublishedSchema {
  readonly json: JsonObject;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "tollgate";
    validate(value: unknown): { readonly value: unknown };
    readonly jsonSchema: {
      input(): Record<string, unknown>;
      output(): Record<string, unknown>;
    };
  };
}

/**
 * The schema as clients read it, made once: a hosted server lives for one request. Without references, which not
 * every client follows, and without what only repeats a format or the reach of a number.
 */
export function publishSchema(schema: z.ZodObject, io: "input" | "output"): PublishedSchema {
  const { $defs, ...root } = z.toJSONSchema(schema, { target: "draft-2020-12", io });
  const json = plainObject(root, definitionsOf($defs));
  return {
    json,
    "~standard": {
      version: 1,
      vendor: "tollgate",
      validate: value => ({ value }),
      jsonSchema: { input: () => ({ ...json }), output: () => ({ ...json }) },
    },
  };
}

function definitionsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function plain(value: unknown, definitions: JsonObject): unknown {
  if (Array.isArray(value)) return value.map(item => plain(item, definitions));
  return isJsonObject(value) ? plainObject(value, definitions) : value;
}

function plainObject(value: JsonObject, definitions: JsonObject): JsonObject {
  const { $ref, ...rest } = value;
  const name = typeof $ref === "string" ? $ref.replace(/^#\/\$defs\//, "") : null;
  const target = name === null ? {} : definitions[name];
  const whole = oneTypeEach({ ...(isJsonObject(target) ? target : {}), ...rest });
  return Object.fromEntries(
    Object.entries(whole)
      .filter(([key, inner]) => !isNoise(key, inner, whole))
      .map(([key, inner]) => [key, plain(inner, definitions)]),
  );
}

/** A list of types is legal, and not every client can read it: it becomes a choice of schemas. */
function oneTypeEach(schema: JsonObject): JsonObject {
  const { type, description, default: byDefault, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  return {
    anyOf: type.map(one => (one === "null" ? { type: one } : { ...rest, type: one })),
    ...(description === undefined ? {} : { description }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
  };
}

function isNoise(key: string, value: unknown, around: JsonObject): boolean {
  if (key === "minimum" && value === Number.MIN_SAFE_INTEGER) return true;
  if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) return true;
  if (key === "propertyNames" || (key === "id" && typeof value === "string")) return true;
  return key === "pattern" && around.format === "uuid";
}
