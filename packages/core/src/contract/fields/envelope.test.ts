import { describe, expect, it } from "bun:test";
import { envelope, toEnvelope } from "./envelope.ts";

const at = Date.UTC(2026, 10, 16);

describe("an envelope", () => {
  it("LOOP-001 has five fields and an ISO 8601 time", () => {
    const made = toEnvelope({ method: "mean_t", value: 2, interval: { low: 1, high: 4 } }, at);
    expect(made).toEqual({
      value: 2,
      ci_low: 1,
      ci_high: 4,
      method: "mean_t",
      data_through: "2026-11-16T00:00:00.000Z",
    });
    expect(envelope.parse(made)).toEqual(made);
    expect(toEnvelope({ method: "exact", value: 0.05 }, null).data_through).toBeNull();
  });

  it("LOOP-002 has no interval for a count, for an unknown value, or where the value lies outside of it", () => {
    const none = { ci_low: null, ci_high: null };
    expect(toEnvelope({ method: "count", value: 7 }, at)).toMatchObject(none);
    for (const [value, interval] of [
      [null, { low: 0, high: 1 }],
      [2, { low: 0, high: 1 }],
      [0.5, { low: Number.NaN, high: 1 }],
      [0.5, { low: 0, high: Number.POSITIVE_INFINITY }],
      [0.5, null],
    ] as const) {
      expect(toEnvelope({ method: "betting_cs", value, interval }, at)).toMatchObject({ value, ...none });
    }
  });

  it("cannot be made of a value that is not a number", () => {
    expect(() => toEnvelope({ method: "sum", value: Number.NaN }, at)).toThrow(RangeError);
  });
});
