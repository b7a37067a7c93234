import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { z } from "zod";

/** The protocol library's schema interface. It need not validate, because the tool does. */
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
 * The schema as clients see it, built once because a hosted server exists for one request. Without references, which not
 * every client follows, and without patterns and bounds that only repeat a format or a number's range.
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

/** Not every client can read a list of types, so it becomes `anyOf`. */
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
