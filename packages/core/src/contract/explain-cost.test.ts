import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { expectExplained } from "../../../../test/support/expect-explained.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import type { Event } from "../event.ts";
import { microcents, type Rate, ZERO_MICROCENTS } from "../money/money.ts";
import { inputTokens, outputTokens, type Usage, usageKinds, usageOf } from "../money/usage.ts";
import { createCatalogue } from "../pricing/catalogue.ts";
import { costOfParts } from "../pricing/cost.ts";
import { priceVersion, type RateCard, type Rates } from "../pricing/rates.ts";
import type { ServedUnder } from "../pricing/service-conditions.ts";
import { type BookedAdjustment, explainCost } from "./explain-cost.ts";

const listed: ServedUnder = { serviceTier: null, speed: null, region: null };
const at = new Date("2026-11-01T00:00:00Z");

function cardOf(provider: "openai" | "anthropic", model: string, tokens = 0, served = listed): RateCard {
  const card = createCatalogue().card(provider, model, at, tokens, served);
  if (!card) throw new Error(`${model} has no price`);
  return card;
}

const nano = cardOf("openai", "gpt-4.1-nano"); // cache reads at a quarter of a microcent
const kept = (...cards: readonly RateCard[]) => {
  const byVersion = new Map(cards.map(card => [priceVersion(card), card]));
  return (version: string) => byVersion.get(version) ?? null;
};
const nothingKept = () => null;

/** An event that these parts make up: the first is the model that answered. */
function eventOf(parts: readonly { usage: Usage; card: RateCard }[], change: Partial<Event> = {}): Event {
  const [main, ...others] = parts;
  if (main === undefined) throw new Error("an event of nothing");
  return sampleSettlement("e", {
    model: "asked-for",
    served_model: "main",
    usage: main.usage,
    input_tokens: inputTokens(main.usage),
    output_tokens: outputTokens(main.usage),
    additional_usage:
      others.length === 0
        ? null
        : others.map(({ usage, card }, index) => ({
            model: `other-${index}`,
            usage,
            price_version: priceVersion(card),
          })),
    cost_microcents: microcents(Number(costOfParts(parts))),
    price_version: priceVersion(main.card),
    ...change,
  }).event;
}

const unpricedOf = (usage: Usage): Event =>
  eventOf([{ usage, card: nano }], {
    cost_basis: "unpriced",
    cost_microcents: ZERO_MICROCENTS,
    price_version: null,
  });

function rerating(booked: number, parts: readonly { usage: Usage; card: RateCard }[]): BookedAdjustment {
  const [main] = parts;
  if (main === undefined) throw new Error("a rerating of nothing");
  return {
    amountMicrocents: Number(costOfParts(parts)) - booked,
    createdAtMs: at.getTime(),
    priceVersion: priceVersion(main.card),
    cards: parts.map(({ card }) => card),
  };
}

const anyUsage: fc.Arbitrary<Usage> = fc
  .record(Object.fromEntries(usageKinds.map(kind => [kind, fc.nat(2_000_000)])), { requiredKeys: [] })
  .map(usageOf);

const anyRate = fc.oneof(
  fc.bigInt({ min: 0n, max: 1_000_000_000_000n }),
  fc.constantFrom(0n, 1n, 250_000_000n, 500_000_000n, 1_000_000_000n),
);
const anyCard: fc.Arbitrary<RateCard> = fc
  .record(Object.fromEntries(usageKinds.map(kind => [kind, anyRate])) as { [kind: string]: typeof anyRate })
  .map(rates => ({ ...nano, rates: rates as unknown as { [kind in keyof Rates]: Rate } }));
const anyParts = fc.array(fc.record({ usage: anyUsage, card: anyCard }), { minLength: 1, maxLength: 4 });

describe("the explanation of a cost", () => {
  it("MON-020 is kind × count × rate for every line, and the rounding", () => {
    const event = eventOf([{ usage: { input: 3, cache_read: 10, web_searches: 1 }, card: nano }]);
    const price_version = priceVersion(nano);
    const line = { type: "usage", model: "main", price_version } as const;
    const explanation = explainCost(event, kept(nano), []);
    expect(explanation).toMatchObject({ cost_microcents: 100_006, total_microcents: 100_006 });
    expect(explanation.lines).toEqual([
      { ...line, kind: "input", count: 3, unit: "token", rate_microcents: "1", amount_microcents: "3" },
      {
        ...line,
        kind: "cache_read",
        count: 10,
        unit: "token",
        rate_microcents: "0.25",
        amount_microcents: "2.5",
      },
      {
        ...line,
        kind: "web_searches",
        count: 1,
        unit: "use",
        rate_microcents: "100000",
        amount_microcents: "100000",
      },
      // 100,005.5 is a tie, and goes to the even neighbour.
      { type: "rounding", amount_microcents: "0.5" },
    ]);
    expect(explanation.rate_cards).toEqual([
      {
        price_version,
        provider: "openai",
        model: nano.model,
        source: nano.source,
        effective_from: nano.effectiveFrom,
        above_input_tokens: null,
        service_condition: "standard",
      },
    ]);
    expectExplained(explanation);
  });

  it("MON-020 names the conditions of the card: how it was served, and the long-context threshold", () => {
    const served = { ...listed, serviceTier: "batch" };
    const card = cardOf("anthropic", "claude-sonnet-4-5", 250_000, served);
    const explanation = explainCost(
      eventOf([{ usage: { input: 250_000, output: 1 }, card }]),
      kept(card),
      [],
    );
    expect(explanation.rate_cards).toMatchObject([
      { above_input_tokens: 200_000, service_condition: "batch" },
    ]);
    expectExplained(explanation);
  });

  it("MON-020 gives the work of other models lines of their own, at their own cards", () => {
    const other = cardOf("openai", "gpt-4o");
    const parts = [
      { usage: { input: 1 }, card: nano },
      { usage: { output: 2 }, card: other },
    ];
    const explanation = explainCost(eventOf(parts), kept(nano, other), []);
    expect(explanation.lines).toMatchObject([
      { kind: "input", model: "main", price_version: priceVersion(nano) },
      { kind: "output", model: "other-0", price_version: priceVersion(other) },
    ]);
    expect(explanation.rate_cards).toHaveLength(2);
    expectExplained(explanation);
  });

  it("MON-020 for any usage of any models at any cards, rerated any number of times, the lines add up to the cost", () => {
    fc.assert(
      fc.property(
        anyParts,
        fc.array(fc.array(anyCard, { minLength: 4, maxLength: 4 }), { maxLength: 3 }),
        (parts, later) => {
          const event = eventOf(parts);
          let booked: number = event.cost_microcents;
          const adjustments = later.map(cards => {
            const rerated = parts.map(({ usage }, index) => ({ usage, card: cards[index] ?? nano }));
            const adjustment = rerating(booked, rerated);
            booked += adjustment.amountMicrocents;
            return adjustment;
          });
          const explanation = explainCost(event, kept(...parts.map(({ card }) => card)), adjustments);
          expectExplained(explanation);
          expect(explanation.total_microcents).toBe(booked);
          for (const line of explanation.lines) {
            if (line.type === "adjustment") expect(line.rerated).not.toBeNull();
          }
        },
      ),
    );
  });

  it("MON-020 says of an unpriced call that its cost is unknown: lines without an amount", () => {
    const explanation = explainCost(unpricedOf({ input: 7, output: 2 }), nothingKept, []);
    expect(explanation).toMatchObject({ is_unpriced: true, total_microcents: 0, rate_cards: [] });
    expect(explanation.explanation).toStartWith("Unpriced: no price is known");
    expect(explanation.lines).toMatchObject([
      { kind: "input", count: 7, rate_microcents: null, amount_microcents: null },
      { kind: "output", count: 2, rate_microcents: null, amount_microcents: null },
    ]);
    expectExplained(explanation);
  });

  it("MON-020 explains a rerating by the whole cost at its rates", () => {
    const event = unpricedOf({ input: 7, cache_read: 2 });
    const rerated = rerating(0, [{ usage: event.usage, card: nano }]);
    const explanation = explainCost(event, nothingKept, [rerated]);
    expect(explanation).toMatchObject({ is_unpriced: false, adjustment_microcents: 8, total_microcents: 8 });
    expect(explanation.explanation).toBe("Unpriced when the call was made; a rerating has priced it since.");
    expect(explanation.lines.at(-1)).toMatchObject({
      type: "adjustment",
      amount_microcents: "8",
      created_at: at.toISOString(),
      price_version: priceVersion(nano),
      rerated: {
        to_microcents: 8,
        lines: [
          { kind: "input", amount_microcents: "7" },
          { kind: "cache_read", amount_microcents: "0.5" },
        ],
      },
    });
    expectExplained(explanation);
    // Rates of another model's work that were not kept explain nothing.
    const unknown = explainCost(event, nothingKept, [{ ...rerated, cards: null }]);
    expect(unknown.lines.at(-1)).toMatchObject({ amount_microcents: "8", rerated: null });
    expectExplained(unknown);
  });

  it("MON-020 says of a reported cost whose word it is, and of an estimated one that it is estimated", () => {
    const reported = { cost_basis: "reported", cost_microcents: microcents(42) } as const;
    const parts = [{ usage: { input: 7 }, card: nano }];
    for (const [source, words] of [
      ["gateway", "Reported: the provider itself stated what it billed"],
      ["ingest", "Reported: the amount was sent with the event"],
      ["otlp", "Reported: the amount was sent with the event"],
    ] as const) {
      const explanation = explainCost(eventOf(parts, { ...reported, source }), kept(nano), []);
      expect(explanation.explanation).toStartWith(words);
      expect(explanation.lines).toEqual([{ type: "reported", amount_microcents: "42" }]);
      expectExplained(explanation);
    }
    for (const [usage_source, words] of [
      ["estimated", "Estimated: the provider did not report all of the usage"],
      ["provider", "Estimated: the provider reported the usage, but"],
    ] as const) {
      const estimated = eventOf(parts, { cost_basis: "estimated", usage_source });
      const explanation = explainCost(estimated, kept(nano), []);
      expect(explanation.explanation).toStartWith(words);
      expectExplained(explanation);
    }
  });

  it("says so when nothing was used", () => {
    const nothing = {
      usage: {},
      usage_source: "none",
      cost_microcents: ZERO_MICROCENTS,
      price_version: null,
    } as const;
    for (const cost_basis of ["priced", "estimated", "unpriced"] as const) {
      const explanation = explainCost(
        { ...eventOf([{ usage: {}, card: nano }]), ...nothing, cost_basis },
        nothingKept,
        [],
      );
      expect(explanation.lines).toEqual([]);
      expect(explanation.explanation).toMatch(/nothing is owed|could be billed|neither usage nor cost/);
      expectExplained(explanation);
    }
  });

  it("MON-020 never claims what the ledger cannot account for", () => {
    const parts = [{ usage: { input: 7 }, card: nano }];
    const wrong = explainCost(eventOf(parts, { cost_microcents: microcents(9) }), kept(nano), []);
    expect(wrong.lines.at(-1)).toEqual({ type: "unexplained", amount_microcents: "2" });
    expect(wrong.explanation).toContain("svc ledger verify");
    const lost = explainCost(eventOf(parts), nothingKept, []);
    expect(lost.lines).toMatchObject([
      { type: "usage", rate_microcents: null, amount_microcents: null },
      { type: "unexplained", amount_microcents: "7" },
    ]);
  });
});
