import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { microcents } from "../money/money.ts";
import { type Usage, usageKinds } from "../money/usage.ts";
import { createCatalogue } from "./catalogue.ts";
import { costOfParts } from "./cost.ts";
import { priceVersion } from "./rates.ts";
import { splitCost } from "./split-cost.ts";

const standard = { serviceTier: null, speed: null, region: null };
const card = createCatalogue().card("openai", "gpt-4o-mini", new Date("2026-11-15"), 0, standard);
if (card === null) throw new Error("gpt-4o-mini has no price");
const version = priceVersion(card);
const cardOf = (asked: string) => (asked === version ? card : null);

function event(usage: Usage, other: Usage | null) {
  const parts = [usage, ...(other === null ? [] : [other])].map(one => ({ usage: one, card: card as never }));
  return {
    model: "gpt-4o-mini",
    served_model: null,
    usage,
    price_version: version,
    additional_usage:
      other === null ? null : [{ model: "gpt-4o-mini", usage: other, price_version: version }],
    cost_microcents: microcents(Number(costOfParts(parts))),
    cost_basis: "priced" as const,
  };
}

const sumOf = (split: object) => Object.values(split).reduce((sum: number, amount) => sum + amount, 0);

describe("the kinds of a cost", () => {
  const someUsage = fc
    .record(Object.fromEntries(usageKinds.map(kind => [kind, fc.nat(2_000_000)])), { requiredKeys: [] })
    .map(usage => usage as Usage);

  it("WEB-022 add up to the cost exactly, whatever was used, and none is negative", () => {
    fc.assert(
      fc.property(someUsage, fc.option(someUsage), (usage, other) => {
        const priced = event(usage, other);
        const split = splitCost(priced, cardOf);
        expect(sumOf(split)).toBe(priced.cost_microcents);
        expect(Object.values(split).every(amount => amount > 0)).toBe(true);
      }),
    );
  });

  it("are the parts of the receipt", () => {
    // 15 and 60 cents a million, half for cached input.
    const split = splitCost(
      event({ input: 1000, cache_read: 1000, output: 100, reasoning: 10 }, null),
      cardOf,
    );
    expect(split).toEqual({ input: 1500, cache_read: 750, output: 600, reasoning: 60 });
  });

  it("keeps a reported cost whole, and splits nothing that it cannot explain", () => {
    const priced = event({ input: 1000 }, null);
    expect(splitCost({ ...priced, cost_basis: "reported", cost_microcents: microcents(7) }, cardOf)).toEqual({
      reported: 7,
    });
    expect(splitCost({ ...priced, cost_microcents: microcents(7) }, cardOf)).toEqual({});
    expect(splitCost({ ...priced, price_version: "another" }, cardOf)).toEqual({});
    expect(splitCost({ ...priced, cost_basis: "unpriced", cost_microcents: microcents(0) }, cardOf)).toEqual(
      {},
    );
  });
});
