import { describe, expect, it } from "bun:test";
import { ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { emptyReading, type Meter, type Reading } from "@tollgate/providers/meter";
import { plausibleReading } from "./plausible-reading.ts";

const meterOf = (reading: () => Reading): Meter => ({ readAnswer() {}, readFrame() {}, reading });
const absurd = 9_007_199_254_740_991;

describe("plausibleReading", () => {
  it("keeps a plausible reading unchanged", () => {
    const reading: Reading = { ...emptyReading(), usage: { input: 2_000_000, output: 128_000 } };
    expect(plausibleReading(meterOf(() => reading))).toBe(reading);
  });

  const implausible: [string, Partial<Reading>][] = [
    ["usage", { usage: { input: absurd } }],
    ["a part of it", { partial: { cache_read: absurd } }],
    [
      "another model's usage",
      { usage: { input: 1 }, additional: [{ model: "m", usage: { output: absurd } }] },
    ],
  ];
  for (const [what, said] of implausible) {
    it(`MON-010 treats implausible ${what} as not reported, and keeps the rest`, () => {
      const reading = { ...emptyReading(), outputBytes: 40, responseId: "id", ...said };
      expect(plausibleReading(meterOf(() => reading))).toEqual({
        ...emptyReading(),
        outputBytes: 40,
        responseId: "id",
      });
    });
  }

  it("MON-010 treats a zero as a missing count if the answer has text", () => {
    const readingOf = (outputBytes: number, usage: Reading["usage"]) => ({
      ...emptyReading(),
      outputBytes,
      usage,
    });
    const read = (reading: Reading) => plausibleReading(meterOf(() => reading));
    expect(read(readingOf(40, {}))).toEqual({ ...readingOf(40, null), partial: {}, isInputMissing: true });
    expect(read(readingOf(40, { input: 9 }))).toEqual({ ...readingOf(40, null), partial: { input: 9 } });
    expect(read(readingOf(40, { output: 9 }))).toEqual({
      ...readingOf(40, null),
      partial: { output: 9 },
      isInputMissing: true,
    });
    const cached = readingOf(40, { cache_read: 9, reasoning: 1 });
    expect(read(cached)).toBe(cached);
    const blocked = readingOf(0, { input: 9 });
    expect(read(blocked)).toBe(blocked);
  });

  it("MON-010 treats a reported cost of zero as missing if the answer has text", () => {
    const usage = { input: 9, output: 10 };
    const free = { ...emptyReading(), usage, reportedCost: ZERO_MICROCENTS };
    expect(plausibleReading(meterOf(() => ({ ...free, outputBytes: 40 })))).toEqual({
      ...free,
      outputBytes: 40,
      reportedCost: null,
      isBillUncertain: true,
    });
    // Declined before the first word.
    expect(plausibleReading(meterOf(() => free))).toBe(free);
  });

  it("does not let a meter's fault prevent a call's event", () => {
    const meter = meterOf(() => {
      throw new RangeError("input cannot be 1e300");
    });
    expect(plausibleReading(meter)).toEqual(emptyReading());
  });
});
