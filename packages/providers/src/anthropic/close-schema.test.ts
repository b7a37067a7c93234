import { describe, expect, it } from "bun:test";
import { closeSchema } from "./close-schema.ts";

describe("closeSchema", () => {
  it("closes every object, at any depth, and omits the bounds that anthropic rejects", () => {
    expect(
      closeSchema({
        type: "object",
        properties: {
          minimum: { type: "integer", minimum: 1, maximum: 9 },
          list: {
            type: "array",
            minItems: 2,
            items: { type: "object", properties: { a: { const: { type: "object" } } } },
          },
        },
        $defs: { node: { anyOf: [{ type: "object", properties: {} }, { type: "null" }] } },
        required: ["minimum"],
      }),
    ).toEqual({
      type: "object",
      properties: {
        minimum: { type: "integer" },
        list: {
          type: "array",
          items: {
            type: "object",
            properties: { a: { const: { type: "object" } } },
            additionalProperties: false,
          },
        },
      },
      $defs: {
        node: { anyOf: [{ type: "object", properties: {}, additionalProperties: false }, { type: "null" }] },
      },
      required: ["minimum"],
      additionalProperties: false,
    });
  });

  it("keeps a deliberately open object", () => {
    const map = { type: "object", additionalProperties: { type: "string" } };
    expect(closeSchema(map)).toEqual(map);
  });
});
