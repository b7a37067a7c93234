import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { MICROCENTS_PER_CENT, MICROCENTS_PER_DOLLAR, RATE_SCALE, ratePerMillion } from "../money/money.ts";
import { addUsage, type Usage, usageKinds, usageOf } from "../money/usage.ts";
import { createCatalogue } from "./catalogue.ts";
import { costOf, costOfParts, exactCost } from "./cost.ts";
import { decodeRateCard, encodeRateCard, type RateCard } from "./rates.ts";

const listed = { serviceTier: null, speed: null, region: null };
const at = new Date("2026-11-01T00:00:00Z");

function cardOf(model: string): RateCard {
  const card = createCatalogue().card("openai", model, at, 0, listed);
  if (!card) throw new Error(`${model} has no price`);
  return card;
}

const nano = cardOf("gpt-4.1-nano"); // cache reads at a quarter of a microcent
const realtime = cardOf("gpt-realtime-2"); // separate rates for most kinds

const anyUsage: fc.Arbitrary<Usage> = fc
  .record(Object.fromEntries(usageKinds.map(kind => [kind, fc.nat(2_000_000)])), { requiredKeys: [] })
  .map(usageOf);

/** Computed differently: every rate as a decimal fraction, one division at the end. */
function oracle(parts: readonly { usage: Usage; card: RateCard }[]): bigint {
  let numerator = 0n;
  for (const { usage, card } of parts) {
    for (const kind of [...usageKinds].reverse()) numerator += card.rates[kind] * BigInt(usage[kind] ?? 0);
  }
  const whole = numerator / RATE_SCALE;
  const doubled = 2n * (numerator - whole * RATE_SCALE);
  if (doubled < RATE_SCALE) return whole;
  if (doubled > RATE_SCALE) return whole + 1n;
  return whole + (whole & 1n);
}

describe("the cost of a call", () => {
  it("MON-001 is in microcents: a million input tokens at $2 cost $2", () => {
    expect(MICROCENTS_PER_CENT * 100).toBe(MICROCENTS_PER_DOLLAR);
    expect(Number(costOf({ input: 1_000_000 }, cardOf("gpt-4.1")))).toBe(2 * MICROCENTS_PER_DOLLAR);
  });

  it.each([
    [2, 0], // 0.5
    [6, 2], // 1.5
    [10, 2], // 2.5
    [14, 4], // 3.5
    [3, 1], // 0.75
    [1, 0], // 0.25
  ])("MON-003 rounds half to even, once: %d cache reads at 0.25 cost %d", (cacheRead, cost) => {
    expect(Number(costOf({ cache_read: cacheRead }, nano))).toBe(cost);
  });

  it("is unknown beyond the largest exact integer, and known up to it", () => {
    const dollar = { ...nano, rates: { ...nano.rates, input: ratePerMillion(1_000_000) } };
    const rest = Number.MAX_SAFE_INTEGER % MICROCENTS_PER_DOLLAR;
    const dollars = (Number.MAX_SAFE_INTEGER - rest) / MICROCENTS_PER_DOLLAR;
    expect(Number(costOf({ input: dollars }, dollar))).toBe(dollars * MICROCENTS_PER_DOLLAR);
    expect(costOf({ input: dollars + 1 }, dollar)).toBeNull();
    const part = { usage: { input: dollars }, card: dollar };
    expect(costOfParts([part, part])).toBeNull();
  });

  it("MON-003 rounds the parts of one event together, not one by one", () => {
    const half = { usage: { cache_read: 2 }, card: nano };
    expect(Number(costOfParts([half, half, half]))).toBe(2); // 1.5, where three rounded halves would be 0
    expect(Number(costOfParts([]))).toBe(0);
  });

  it("MON-002 equals exact rational arithmetic for any usage", () => {
    fc.assert(
      fc.property(anyUsage, anyUsage, (a, b) => {
        const parts = [
          { usage: a, card: nano },
          { usage: b, card: realtime },
        ];
        expect(BigInt(Number(costOfParts(parts)))).toBe(oracle(parts));
        expect(costOfParts([...parts].reverse())).toBe(costOfParts(parts));
        expect(BigInt(Number(costOf(a, realtime)))).toBe(oracle([{ usage: a, card: realtime }]));
      }),
    );
  });

  it("MON-002 is additive before rounding", () => {
    fc.assert(
      fc.property(anyUsage, anyUsage, (a, b) => {
        expect(exactCost(addUsage(a, b), realtime)).toBe(exactCost(a, realtime) + exactCost(b, realtime));
      }),
    );
  });

  it("MON-011 is recomputed to the microcent from the stored card", () => {
    const stored = decodeRateCard(encodeRateCard(realtime));
    fc.assert(fc.property(anyUsage, usage => expect(costOf(usage, stored)).toBe(costOf(usage, realtime))));
  });
});
