import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { BettingConfidenceSequence, type BettingState } from "./betting-confidence-sequence.ts";

const plan = { alpha: 0.05, plannedValues: 500 };
const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 400 });
const limits = fc.integer({ min: -99, max: 99 }).map(hundredths => hundredths / 100);

function sequenceOf(of: readonly number[]): BettingConfidenceSequence {
  const sequence = new BettingConfidenceSequence(plan);
  for (const value of of) sequence.add(value);
  return sequence;
}

/** The lower bound's gambler against one candidate, written straightforwardly: did its capital ever reach 1/α? */
function everRich(of: readonly number[], candidate: number): boolean {
  let [capital, sum, residuals, isRich] = [1, 0, 0, false];
  const m = (1 + candidate) / 2;
  for (const [index, value] of of.entries()) {
    const x = (1 + value) / 2;
    const variance = (0.25 + residuals) / (index + 1);
    const bet = Math.min(Math.sqrt((2 * Math.log(20)) / (variance * 500)), 0.5 / m);
    capital *= 1 + bet * (x - m);
    isRich ||= capital >= 20;
    sum += x;
    residuals += (x - (0.5 + sum) / (index + 2)) ** 2;
  }
  return isRich;
}

describe("a betting confidence sequence", () => {
  it("reports a mean above a limit if and only if the gambler against that limit has won", () => {
    fc.assert(
      fc.property(values, limits, fc.double({ min: -0.3, max: 0.3, noNaN: true }), (of, limit, shift) => {
        const shifted = of.map(value => Math.max(-1, Math.min(1, value / 3 + shift)));
        const sequence = sequenceOf(shifted);
        if (!sequence.isBelow(limit)) expect(sequence.isAbove(limit)).toBe(everRich(shifted, limit));
      }),
    );
  });

  it("never contradicts its own interval", () => {
    fc.assert(
      fc.property(values, limits, (of, limit) => {
        const sequence = sequenceOf(of);
        expect(sequence.isAbove(limit)).toBe(sequence.lower >= limit);
        expect(sequence.isBelow(limit)).toBe(sequence.upper <= limit);
      }),
    );
  });

  it("treats both directions alike", () => {
    fc.assert(
      fc.property(values, of => {
        const sequence = sequenceOf(of);
        const mirrored = sequenceOf(of.map(value => -value));
        // Half of (1 + x) and half of (1 − x) differ in the last digit.
        expect(Math.abs(mirrored.lower + sequence.upper)).toBeLessThanOrEqual(0.01 + 1e-12);
        expect(Math.abs(mirrored.upper + sequence.lower)).toBeLessThanOrEqual(0.01 + 1e-12);
      }),
    );
  });

  it("only ever narrows", () => {
    fc.assert(
      fc.property(values, of => {
        const sequence = new BettingConfidenceSequence(plan);
        let [lower, upper] = [-1, 1];
        for (const value of of) {
          sequence.add(value);
          expect(sequence.lower).toBeGreaterThanOrEqual(lower);
          expect(sequence.upper).toBeLessThanOrEqual(upper);
          [lower, upper] = [sequence.lower, sequence.upper];
        }
      }),
    );
  });

  it("continues from its state as if it had never stopped", () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        const whole = sequenceOf([...before, ...after]);
        const state = JSON.parse(JSON.stringify(sequenceOf(before))) as BettingState;
        const resumed = BettingConfidenceSequence.resume(plan, state);
        for (const value of after) resumed.add(value);
        expect(JSON.stringify(resumed)).toBe(JSON.stringify(whole));
      }),
    );
  });

  it("is uninformative before the first value, and converges to a constant one", () => {
    const nothing = sequenceOf([]);
    expect([nothing.mean, nothing.lower, nothing.upper]).toEqual([null, -1, 1]);
    const ties = sequenceOf(Array.from({ length: 500 }, () => 0));
    expect(ties.mean).toBe(0);
    expect(ties.lower).toBeGreaterThan(-0.03);
    expect(ties.upper).toBeLessThan(0.03);
  });

  it("keeps its first conclusion if the mean changes, and never has an empty interval", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(-1, 0, 1), { minLength: 1, maxLength: 6 }),
        limits,
        (of, limit) => {
          const sequence = sequenceOf(of.flatMap(value => Array.from({ length: 200 }, () => value)));
          expect(sequence.upper - sequence.lower).toBeGreaterThan(0.009);
          expect(sequence.isAbove(limit) && sequence.isBelow(limit)).toBe(false);
          expect(
            BettingConfidenceSequence.resume(plan, JSON.parse(JSON.stringify(sequence))).toJSON(),
          ).toEqual(sequence.toJSON());
        },
      ),
    );
  });

  it("survives two thousand equal extreme values", () => {
    const worst = BettingConfidenceSequence.resume(
      plan,
      JSON.parse(JSON.stringify(sequenceOf(Array.from({ length: 2000 }, () => -1)))),
    );
    expect(worst.lower).toBe(-1);
    expect(worst.upper).toBeLessThan(-0.97);
  });

  it("rejects an invalid value, level or candidate", () => {
    const sequence = new BettingConfidenceSequence(plan);
    expect(() => sequence.add(1.01)).toThrow(RangeError);
    expect(() => sequence.add(Number.NaN)).toThrow(RangeError);
    expect(() => sequence.isAbove(0.005)).toThrow(RangeError);
    expect(() => new BettingConfidenceSequence({ alpha: 0, plannedValues: 10 })).toThrow(RangeError);
    expect(() => new BettingConfidenceSequence({ alpha: 0.05, plannedValues: 0 })).toThrow(RangeError);
  });
});
