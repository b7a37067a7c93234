import { describe, expect, it } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { JsonObject } from "../../wire/json-fields.ts";
import { checkSchema, type Validity } from "./check-schema.ts";

const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: ["integer", "null"], minimum: 0 },
    tags: { type: "array", items: { enum: ["a", "b"] }, uniqueItems: true },
    parent: { $ref: "#" },
  },
  required: ["name"],
  additionalProperties: false,
};

const conditional = JSON.parse('{ "if": { "type": "number" }, "then": { "minimum": 3 }, "else": false }');

describe("checking JSON against a schema", () => {
  it.each<[string, JsonObject, unknown, Validity]>([
    ["all fields", person, { name: "x", age: null, tags: ["a", "b"] }, "valid"],
    ["a missing field", person, { age: 3 }, "invalid"],
    ["a field too many", person, { name: "x", other: 1 }, "invalid"],
    ["a fraction for an integer", person, { name: "x", age: 1.5 }, "invalid"],
    ["a value twice", person, { name: "x", tags: ["a", "a"] }, "invalid"],
    ["a reference to the root", person, { name: "x", parent: { name: "y", parent: {} } }, "invalid"],
    ["a definition", { $defs: { "a/b": { type: "null" } }, $ref: "#/$defs/a~1b" }, null, "valid"],
    ["a reference to elsewhere", { $ref: "https://example.com/schema" }, 1, "unknown"],
    ["a reference to nothing", { $ref: "#/$defs/x" }, 1, "unknown"],
    ["a pattern", { type: "string", pattern: "^(a+)+$" }, "b", "unknown"],
    ["a pattern and a wrong type", { type: "string", pattern: "^(a+)+$" }, 1, "invalid"],
    ["a pattern, negated", { not: { pattern: "x" } }, "x", "unknown"],
    ["an unknown type", { type: "STRING" }, "x", "unknown"],
    ["OpenAPI's nullable", { type: "string", nullable: true }, null, "valid"],
    ["length in characters", { type: "string", maxLength: 1 }, "😀", "valid"],
    ["a multiple of a tenth", { multipleOf: 0.1 }, 0.3, "valid"],
    ["exactly one of two", { oneOf: [{ type: "number" }, { minimum: 3 }] }, 5, "invalid"],
    ["if, then", conditional, 2, "invalid"],
    ["if, else", conditional, "x", "invalid"],
    ["a tuple, as before 2020", { items: [{ type: "null" }], additionalItems: false }, [null, 1], "invalid"],
    ["contains", { contains: { type: "null" }, minContains: 2 }, [null, 1, null], "valid"],
    ["a key of every object", { required: ["__proto__"] }, {}, "invalid"],
    ["a keyword of nobody", { "x-internal": 1, format: "email" }, "x", "valid"],
  ])("%s", (_, schema, value, validity) => {
    expect(checkSchema(schema, value)).toBe(validity);
  });

  it.each<[string, JsonObject, unknown]>([
    ["references in a circle", { $ref: "#" }, 1],
    [
      "branches that double at every level",
      {
        $defs: Object.fromEntries(
          Array.from({ length: 60 }, (_, level) => [
            `l${level}`,
            { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
          ]),
        ),
        $ref: "#/$defs/l0",
      },
      1,
    ],
    ["nesting of a schema", nested(5000), 1],
    [
      "a list that is compared with itself",
      { uniqueItems: true },
      Array.from({ length: 5000 }, (_, i) => [i]),
    ],
    ["an expression that backtracks", { pattern: "^(a+)+$" }, `${"a".repeat(5000)}!`],
    ["many items, many alternatives", alternatives(300), Array.from({ length: 5000 }, () => ({ x: 1 }))],
  ])("gives up rather than hang: %s", (_, schema, value) => {
    expect(checkSchema(schema, value)).toBe("unknown");
  });

  it("agrees with a validator that compiles schemas, wherever it gives an answer", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    let answers = 0;
    fc.assert(
      fc.property(schemas, values, (schema, tried) => {
        const validate = ajv.compile(schema);
        for (const value of tried) {
          const validity = checkSchema(schema as JsonObject, value);
          if (validity === "unknown") continue;
          answers += 1;
          expect(validity).toBe(validate(value) ? "valid" : "invalid");
        }
      }),
      { numRuns: 40 },
    );
    expect(answers).toBeGreaterThan(200);
  });
});

const smallValues = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1, 2, 2.5, "", "a", "ab"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** As JSON reads them: some generated objects have no prototype, and the other validator calls those different. */
const values = fc
  .array(fc.oneof(smallValues, fc.jsonValue({ maxDepth: 2 })), { minLength: 10, maxLength: 10 })
  .map(tried => JSON.parse(JSON.stringify(tried)) as unknown[]);
const counts = fc.integer({ min: 0, max: 3 });
const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 });

const plain = {
  type: fc.constantFrom<string | string[]>(
    "object",
    "array",
    "string",
    "integer",
    "number",
    ["null", "boolean"],
    ["string", "number"],
  ),
  enum: fc.uniqueArray(fc.constantFrom(null, 0, 1, "a", true), { minLength: 1, maxLength: 3 }),
  minimum: counts,
  exclusiveMaximum: counts,
  minLength: counts,
  maxItems: counts,
  uniqueItems: fc.boolean(),
  minProperties: counts,
  required: keys,
};

const schemas = fc.letrec<{ schema: object }>(tie => {
  const one = fc.oneof(fc.boolean(), tie("schema"));
  const list = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const nesting = {
    items: one,
    not: one,
    contains: one,
    additionalProperties: one,
    propertyNames: one,
    if: one,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema.
    then: one,
    else: one,
    properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema"), { maxKeys: 2 }),
    allOf: list,
    anyOf: list,
    oneOf: list,
    prefixItems: list,
  };
  return {
    schema: fc.oneof(
      { maxDepth: 2 },
      fc.record(plain, { requiredKeys: [] }),
      fc.record({ ...plain, ...nesting }, { requiredKeys: [] }),
    ),
  };
}).schema;

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: "null" };
  for (let level = 0; level < levels; level += 1) schema = { not: schema };
  return schema;
}

function alternatives(count: number): JsonObject {
  const others = Array.from({ length: count }, () => ({ required: ["y"] }));
  return { items: { anyOf: [...others, { required: ["x"] }] } };
}
