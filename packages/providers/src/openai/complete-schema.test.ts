import { expect, it } from "bun:test";
import { completeSchema } from "./complete-schema.ts";

it.each<[string, object, object]>([
  ["an object without properties", { type: "object" }, { type: "object", properties: {} }],
  [
    "a map in a property, but not the data of a constant",
    { type: "object", properties: { m: { type: ["object", "null"] }, c: { const: { type: "object" } } } },
    {
      type: "object",
      properties: { m: { type: ["object", "null"], properties: {} }, c: { const: { type: "object" } } },
    },
  ],
  ["an array without items", { items: { type: "array" } }, { items: { type: "array", items: {} } }],
  ["a tuple", { type: "array", prefixItems: [] }, { type: "array", prefixItems: [] }],
])("completes what OpenAI requires: %s", (_what, schema, expected) => {
  expect(completeSchema({ ...schema })).toEqual({ ...expected });
});
