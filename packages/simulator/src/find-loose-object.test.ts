import { describe, expect, it } from "bun:test";
import { findLooseObject } from "./find-loose-object.ts";

const closed = (properties: object, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const text = { type: "string" };

describe("findLooseObject", () => {
  it.each([
    ["a closed object", closed({ a: text }), null, null],
    ["an open object", { type: "object", properties: { a: text } }, "", ""],
    ["an optional property", closed({ a: text }, []), null, ""],
    ["an open object within", closed({ a: { type: "object" } }), "properties.a", "properties.a"],
    [
      "one in a list",
      closed({ a: { type: "array", items: { type: "object" } } }),
      "properties.a.items",
      "properties.a.items",
    ],
    ["one that is referred to", { ...closed({}), $defs: { b: { type: "object" } } }, "$defs.b", "$defs.b"],
    ["no object at all", text, null, null],
  ])("%s", (_, schema, open, optional) => {
    expect(findLooseObject(schema, false)).toBe(open);
    expect(findLooseObject(schema, true)).toBe(optional);
  });
});
