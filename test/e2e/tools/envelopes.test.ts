import { expect, it } from "bun:test";
import { surfaces } from "@tollgate/tools/surfaces";
import { hostedOnlyTools } from "../../spec-surface.ts";
import { bareNumbersOf, expectEnvelopes } from "../../support/expect-envelopes.ts";

const loopMetrics: readonly string[] = hostedOnlyTools["Loop metrics"];

for (const { name, outputSchema } of surfaces.hosted.filter(tool => loopMetrics.includes(tool.name))) {
  it(`LOOP-001 ${name} declares no number outside an envelope`, () => {
    expect(bareNumbersOf(outputSchema.json)).toEqual([]);
  });
}

it("LOOP-001 a bare number is detected, in a schema and in an answer", () => {
  const schema = {
    type: "object",
    properties: { pairs: { anyOf: [{ type: "integer" }, { type: "null" }] } },
  };
  expect(bareNumbersOf(schema)).toEqual(["$.properties.pairs.anyOf.0"]);
  expect(bareNumbersOf({ type: "array", items: {} })).toEqual(["$.items (anything)"]);
  expect(() => expectEnvelopes("a tool", { list: [{ pairs: 3 }] })).toThrow(
    "a tool: a bare number at $.list[0].pairs",
  );
});

it("LOOP-002 an interval that excludes its value, or of a count, is detected", () => {
  const made = { value: 2, ci_low: 3, ci_high: 4, method: "mean_t", data_through: null };
  expect(() => expectEnvelopes("a tool", { made })).toThrow();
  expect(() => expectEnvelopes("a tool", { made: { ...made, ci_low: 1, method: "count" } })).toThrow();
  expect(expectEnvelopes("a tool", { made: { ...made, ci_low: 1 } })).toBe(1);
});
