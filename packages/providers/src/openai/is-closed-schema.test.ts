import { describe, expect, it } from "bun:test";
import { isClosedSchema } from "./is-closed-schema.ts";

const closed = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};

describe("isClosedSchema", () => {
  it.each([
    ["an object that names everything", closed, true],
    ["an optional property", { ...closed, required: [] }, false],
    ["further properties allowed", { ...closed, additionalProperties: true }, false],
    ["nothing said about further properties", { type: "object", properties: {} }, false],
    ["an open object within an array", { type: "array", items: { type: "object" } }, false],
    ["a closed object within a choice", { anyOf: [closed, { type: "null" }] }, true],
    ["no schema", undefined, true],
  ])("%s", (_what, schema, expected) => {
    expect(isClosedSchema(schema)).toBe(expected);
  });
});
