import { describe, expect, it } from "bun:test";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isJsonObject } from "@tollgate/core/wire/json-fields";
import fc from "fast-check";
import { sampleFromSchema } from "./sample-from-schema.ts";

describe("sampleFromSchema", () => {
  const cases: [name: string, schema: JsonObject, expected: unknown][] = [
    ["a string gets a name out of the user's text", { type: "string" }, "Paris"],
    ["a constant", { const: 7 }, 7],
    ["the first choice that is not null", { enum: [null, "b"] }, "b"],
    ["a default", { type: "string", default: "d" }, "d"],
    ["a whole number within its bounds", { type: "integer", minimum: 3, maximum: 9 }, 3],
    ["an exclusive bound", { type: "integer", exclusiveMinimum: 3 }, 4],
    [
      "the larger of two lower bounds",
      { type: "integer", minimum: -9007199254740991, exclusiveMinimum: 0 },
      1,
    ],
    ["a number that is whole", { type: "number" }, 1],
    ["a whole number above a far lower bound", { type: "number", minimum: -1e15 }, 1],
    ["a fraction where nothing whole fits", { type: "number", minimum: 0.25, maximum: 0.75 }, 0.5],
    ["a multiple", { type: "number", multipleOf: 5, minimum: 11 }, 15],
    ["a maximum below zero", { type: "integer", maximum: -4 }, -4],
    ["a nullable type in a list", { type: ["null", "boolean"] }, false],
    ["gemini's upper-case types", { type: "OBJECT", properties: { a: { type: "INTEGER" } } }, { a: 1 }],
    ["the branch that is not null", { anyOf: [{ type: "null" }, { type: "integer" }] }, 1],
    ["a format", { type: "string", format: "date" }, "2026-01-15"],
    ["a length", { type: "string", minLength: 8, maxLength: 8 }, "Parisxxx"],
    ["a pattern of digits", { type: "string", pattern: "^\\d{5}$" }, "12345"],
    ["as many entries as asked", { type: "array", items: { type: "boolean" }, minItems: 2 }, [false, false]],
    ["an empty list where none may be", { type: "array", items: {}, maxItems: 0 }, []],
    [
      "a reference",
      { $ref: "#/$defs/place", $defs: { place: { type: "object", properties: { n: { type: "integer" } } } } },
      { n: 1 },
    ],
    [
      "all parts of allOf",
      { allOf: [{ type: "object", properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] },
      { a: 1, b: 2 },
    ],
    ["what is required and not described", { type: "object", required: ["x"] }, { x: "Paris" }],
  ];
  it.each(cases)("fills in %s", (_, schema, expected) => {
    expect(sampleFromSchema(schema, "What about Paris?")).toEqual(expected);
  });

  it.each([
    ["itself", { type: "object", properties: { next: { $ref: "#" } } }],
    ["itself by anyOf", { anyOf: [{ $ref: "#" }] }],
    ["itself by allOf", { allOf: [{ $ref: "#" }] }],
    ["itself in long lists", { type: "array", minItems: 60, items: { $ref: "#" } }],
    ["a loop of references", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }],
  ] as [string, JsonObject][])("ends on a schema that refers to %s", (_, schema) => {
    expect(JSON.stringify(sampleFromSchema(schema, "")).length).toBeLessThan(100_000);
  });

  interface Checked {
    readonly schema: JsonObject;
    readonly fits: (value: unknown) => boolean;
  }
  const { checked } = fc.letrec<{ checked: Checked }>(tie => ({
    checked: fc.oneof(
      { maxDepth: 3 },
      fc.constant<Checked>({ schema: { type: "string" }, fits: value => typeof value === "string" }),
      fc.constant<Checked>({ schema: { type: "boolean" }, fits: value => typeof value === "boolean" }),
      fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(20)).map(
        ([minimum, more]): Checked => ({
          schema: { type: "integer", minimum, maximum: minimum + more },
          fits: value =>
            Number.isInteger(value) && Number(value) >= minimum && Number(value) <= minimum + more,
        }),
      ),
      fc.tuple(tie("checked"), fc.nat(3)).map(
        ([inner, minItems]): Checked => ({
          schema: { type: "array", items: inner.schema, minItems },
          fits: value => Array.isArray(value) && value.length >= minItems && value.every(inner.fits),
        }),
      ),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie("checked"), { maxKeys: 3 }).map(
        (inner): Checked => ({
          schema: {
            type: "object",
            properties: Object.fromEntries(Object.entries(inner).map(([key, { schema }]) => [key, schema])),
            required: Object.keys(inner),
          },
          fits: value =>
            isJsonObject(value) && Object.entries(inner).every(([key, { fits }]) => fits(value[key])),
        }),
      ),
    ),
  }));
  it("fits any schema of objects, lists, numbers and texts", () => {
    fc.assert(fc.property(checked, ({ schema, fits }) => fits(sampleFromSchema(schema, "to Rome"))));
  });
});
