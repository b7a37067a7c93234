import { describe, expect, it } from "bun:test";
import { type OutcomeValue, sumOutcomes } from "./outcome-sums.ts";

const outcome = (
  outcomeType: string | null,
  valueCents: number | null,
  success: boolean | null = null,
): OutcomeValue => ({ outcomeType, valueCents, success });

describe("what outcomes are worth", () => {
  it("TOOL-015 revenue is type revenue that did not fail; any other type, or none, is other value", () => {
    const mixed = [
      outcome("revenue", 1000),
      outcome("revenue", 500, true),
      outcome("revenue", 5000, false),
      outcome("cost_saving", 7000),
      outcome("quality", null, true),
      outcome("efficiency", 20, false),
      outcome(null, 4),
      outcome("Revenue", 1),
    ];
    expect(sumOutcomes(mixed)).toEqual({
      outcomes: 8,
      failed: 2,
      revenueOutcomes: 2,
      valueCents: 8505,
      revenueCents: 1500,
    });
  });

  it("a refund lowers revenue, even below zero; grouped rows count with their multiplicity", () => {
    expect(sumOutcomes([outcome("revenue", 300), outcome("revenue", -1000)])).toMatchObject({
      revenueCents: -700,
      valueCents: -700,
    });
    expect(sumOutcomes([{ ...outcome("revenue", 300), count: 3 }])).toMatchObject({
      outcomes: 3,
      revenueOutcomes: 3,
      revenueCents: 300,
    });
  });
});
