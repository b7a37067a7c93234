import { describe, expect, it } from "bun:test";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import type { Event } from "../event.ts";
import { ZERO_MICROCENTS } from "../money/money.ts";
import { type Catalogue, createCatalogue } from "./catalogue.ts";
import { parsePriceOverrides } from "./overrides.ts";
import { decodeRateCard, priceVersion, type RateCard } from "./rates.ts";
import { adjustmentOf, rerate } from "./rerate.ts";

const listPrice = { serviceTier: null, speed: null, region: null };

/** What is left to book for an event whose cost with its adjustments is known. */
function left(
  event: Event,
  bookedMicrocents: number,
  card: RateCard | null,
  catalogue: Catalogue,
  wasRerated = bookedMicrocents !== event.cost_microcents,
) {
  const adjusted = wasRerated ? bookedMicrocents - event.cost_microcents : undefined;
  return adjustmentOf(rerate(event, card, catalogue), adjusted);
}

const withPrice = (model: string, from?: string) =>
  createCatalogue({
    overrides: parsePriceOverrides([
      {
        provider: "openai",
        model,
        input_per_million_cents: 100,
        output_per_million_cents: 1000,
        ...(from ? { from } : {}),
      },
    ]),
  });

const booked = createCatalogue().card("openai", "gpt-4o-mini", new Date("2026-11-15"), 0, listPrice);
if (booked === null) throw new Error("no price");

// 1000 input tokens at 10 microcents, 100 output tokens at 100.
const NEW_COST = 20_000;
const { event } = sampleSettlement("e");
const unpriced = sampleSettlement("e", {
  model: "brand-new",
  served_model: null,
  cost_basis: "unpriced",
  cost_microcents: ZERO_MICROCENTS,
  price_version: null,
}).event;

describe("rerate", () => {
  it("MON-014 gives an unpriced event its cost once a price is known, and leaves it unchanged until then", () => {
    expect(left(unpriced, 0, null, createCatalogue())).toBeNull();
    const change = left(unpriced, 0, null, withPrice("brand-new"));
    expect(change).toMatchObject({ event_id: "e", org_id: "org", amount_microcents: NEW_COST });
    expect(decodeRateCard(change?.card ?? "").source).toBe("file");
  });

  it("MON-014 MON-021 books a price of 0 once: an event that costs nothing is priced", () => {
    const free = createCatalogue({
      overrides: parsePriceOverrides([
        { provider: "openai", model: "brand-new", input_per_million_cents: 0, output_per_million_cents: 0 },
      ]),
    });
    expect(left(unpriced, 0, null, free)).toMatchObject({ event_id: "e", amount_microcents: 0 });
    expect(left(unpriced, 0, null, free, true)).toBeNull();
  });

  it("MON-013 changes nothing the second time: what is booked counts with its adjustments", () => {
    const catalogue = withPrice("gpt-4o-mini");
    const change = left(event, event.cost_microcents, booked, catalogue);
    expect(change?.amount_microcents).toBe(NEW_COST - event.cost_microcents);
    expect(
      left(event, event.cost_microcents + (change?.amount_microcents ?? 0), booked, catalogue),
    ).toBeNull();
    expect(left(event, event.cost_microcents, booked, createCatalogue())).toBeNull();
  });

  it("MON-014 MON-015 prices an answer under the requested name if only that has a price of the operator's", () => {
    const asked = {
      ...event,
      provider: "google",
      model: "gemini-flash-latest",
      served_model: "gemini-3.8-flash",
    };
    const catalogue = createCatalogue({
      overrides: parsePriceOverrides([
        {
          provider: "google",
          model: "gemini-flash-latest",
          input_per_million_cents: 0,
          output_per_million_cents: 0,
        },
      ]),
    });
    expect(left(asked, 7, null, catalogue)?.amount_microcents).toBe(-7);
  });

  it("uses the prices of the event's own day", () => {
    expect(left(event, event.cost_microcents, booked, withPrice("gpt-4o-mini", "2026-11-16"))).toBeNull();
    expect(left(event, event.cost_microcents, booked, withPrice("gpt-4o-mini", "2026-11-15"))).not.toBeNull();
  });

  const longOf = (provider: "anthropic" | "openai", model: string, endpoint: string) => {
    const at = new Date(event.created_at);
    const cards = [0, 999_999].map(prompt => createCatalogue().card(provider, model, at, prompt, listPrice));
    const [short, long] = cards;
    if (!short || !long) throw new Error("no price");
    const usage = { input: 280_000, output: 30, web_searches: 3 };
    const asked = { provider, model, served_model: null, endpoint, usage } as const;
    return { short, long, event: { ...event, ...asked, price_version: priceVersion(short) } };
  };
  // 280,000 × 30 + 30 × 150 + 3 × 100,000; long: 280,000 × 60 + 30 × 225 + 3 × 100,000
  const sonnet = { short: 8_704_500, long: 17_106_750 };
  // 280,000 × 25 + 30 × 150 + 3 × 100,000; long: 280,000 × 50 + 30 × 225 + 3 × 100,000
  const gpt54 = { short: 7_304_500, long: 14_306_750 };

  it("keeps a call below the threshold where it was booked: only the sum of its iterations is above", () => {
    for (const [passes, cost] of [
      [longOf("anthropic", "claude-sonnet-4-5", "/v1/messages"), sonnet],
      [longOf("openai", "gpt-5.4", "/v1/responses"), gpt54],
    ] as const) {
      expect(left(passes.event, cost.short, passes.short, createCatalogue())).toBeNull();
      // The same price under another version, as after a change of another rate: it is still short.
      const older = { ...passes.event, price_version: "price_of_another_day" };
      expect(left(older, cost.short, passes.short, createCatalogue())).toBeNull();
      expect(left(passes.event, cost.long, passes.long, createCatalogue())).toBeNull();
    }
  });

  it("prices a call as long if its one iteration was, because no tool can have run in between", () => {
    const translated = longOf("anthropic", "claude-sonnet-4-5", "/v1/chat/completions");
    const change = left(translated.event, sonnet.short, translated.short, createCatalogue());
    expect(change?.amount_microcents).toBe(sonnet.long - sonnet.short);
  });

  it("assumes several iterations for an unpriced call with searches", () => {
    const { event: searching } = longOf("openai", "gpt-5.4", "/v1/responses");
    const unknown = { ...searching, cost_basis: "unpriced" as const, price_version: null };
    expect(left(unknown, 0, null, createCatalogue())?.amount_microcents).toBe(gpt54.short);
    const { web_searches: _, ...read } = unknown.usage;
    const inOnePass = left({ ...unknown, usage: read }, 0, null, createCatalogue());
    expect(inOnePass?.amount_microcents).toBe(gpt54.long - 300_000);
  });

  it("can also lower a cost", () => {
    expect(left(event, 1_000_000, booked, withPrice("gpt-4o-mini"))?.amount_microcents).toBe(
      NEW_COST - 1_000_000,
    );
  });

  it("does not change an amount billed by the provider, nor a call that used nothing", () => {
    const catalogue = withPrice("gpt-4o-mini");
    expect(left({ ...event, cost_basis: "reported" }, 5, booked, catalogue)).toBeNull();
    expect(left({ ...event, usage_source: "none" }, 0, booked, catalogue)).toBeNull();
  });

  it("leaves an event unchanged at a price that makes its cost unknown", () => {
    const absurd = createCatalogue({
      ofOrganization: [
        {
          provider: "openai",
          model: "gpt-4o-mini",
          prices: JSON.stringify({ input_per_million_cents: 1e15, output_per_million_cents: 1e15 }),
          effectiveFromMs: 0,
        },
      ],
    });
    expect(left(event, event.cost_microcents, booked, absurd)).toBeNull();
  });

  it("leaves an event unchanged while a part of it has no price", () => {
    const additional_usage = [{ model: "nobody-knows", usage: { input: 1 }, price_version: null }];
    expect(left({ ...event, additional_usage }, 0, booked, withPrice("gpt-4o-mini"))).toBeNull();
  });

  it("leaves a call unchanged that was served under a condition which its event does not record", () => {
    const catalogue = withPrice("gpt-4o-mini");
    expect(left(event, event.cost_microcents, { ...booked, condition: "fast+us" }, catalogue)).toBeNull();
    expect(left(event, event.cost_microcents, booked, catalogue)).not.toBeNull();
  });
});
