import { describe, expect, it } from "bun:test";
import { multiplyRate, ratePerMillion, ratePerThousand } from "../money/money.ts";
import { usageKinds } from "../money/usage.ts";
import { providerIds } from "../provider-id.ts";
import { createCatalogue } from "./catalogue.ts";
import {
  completeRates,
  decodeRateCard,
  encodeRateCard,
  priceVersion,
  type RateCard,
  scaleRates,
} from "./rates.ts";

const tools = { web_searches: ratePerThousand("10"), file_searches: ratePerThousand("2.5") };
const input = ratePerMillion("4");
const output = ratePerMillion("20");
const noFee = ratePerThousand("0");

const card: RateCard = {
  provider: "openai",
  model: "gpt-example",
  source: "file",
  effectiveFrom: "2026-01-01",
  aboveInputTokens: 200_000,
  condition: "flex",
  rates: completeRates("openai", { input, output }, tools),
};

describe("a complete set of rates", () => {
  it("uses the nearest stated rate for every kind that a price list omits", () => {
    expect(card.rates).toEqual({
      input,
      cache_read: input,
      cache_write: input,
      cache_write_1h: input,
      input_audio: input,
      cache_read_audio: input,
      input_image: input,
      cache_read_image: input,
      output,
      reasoning: output,
      output_audio: output,
      output_image: output,
      ...tools,
      violations: noFee,
    });
  });

  it("prices cached audio as a cache read, otherwise as audio", () => {
    const audio = ratePerMillion("32");
    const cached = ratePerMillion("0.4");
    const withCache = completeRates("openai", { input, cache_read: cached, input_audio: audio }, tools);
    const withoutCache = completeRates("openai", { input, input_audio: audio }, tools);
    expect(withCache.cache_read_audio).toBe(cached);
    expect(withoutCache.cache_read_audio).toBe(audio);
  });

  it("MON-006 prices an unstated long cache write at twice the input for anthropic, at twice any other for openai, elsewhere like any other", () => {
    const write = ratePerMillion("5");
    expect(completeRates("anthropic", { input, cache_write: write }, tools).cache_write_1h).toBe(
      multiplyRate(input, 2),
    );
    expect(completeRates("openai", { input, cache_write: write }, tools).cache_write_1h).toBe(
      multiplyRate(write, 2),
    );
    expect(completeRates("openai", { input }, tools).cache_write_1h).toBe(input);
    expect(completeRates("xai", { input, cache_write: write }, tools).cache_write_1h).toBe(write);
  });

  it("MON-007 scales tokens, but not searches", () => {
    const halved = scaleRates(card.rates, { factors: ["0.5"] });
    expect(halved.input).toBe(ratePerMillion("2"));
    expect(halved.reasoning).toBe(ratePerMillion("10"));
    expect(halved.web_searches).toBe(tools.web_searches);
  });
});

describe("a price version", () => {
  it("is the same for the same content, whatever the card's origin", () => {
    const again = decodeRateCard(encodeRateCard(card));
    expect(again).toEqual(card);
    expect(again).not.toBe(card);
    expect(priceVersion(again)).toBe(priceVersion(card));
    expect(priceVersion(card)).toMatch(/^price_[0-9a-z]{25}$/);
  });

  it("stays the same across releases", () => {
    expect(priceVersion(card)).toBe("price_2gz131qj6tusbzdax8t6wesie");
  });

  it("MON-011 is that of an older card without the kinds added since, which are free", () => {
    const older = encodeRateCard(card);
    expect(older).not.toContain("violations");
    expect(decodeRateCard(older).rates.violations).toBe(noFee);
    expect(() => decodeRateCard(older.replace('"web_searches"', '"other"'))).toThrow();
    const charged = { ...card, rates: { ...card.rates, violations: ratePerThousand("50") } };
    expect(decodeRateCard(encodeRateCard(charged))).toEqual(charged);
  });

  it("differs when anything differs", () => {
    const others: RateCard[] = [
      { ...card, provider: "xai" },
      { ...card, model: "gpt-other" },
      { ...card, source: "tollgate" },
      { ...card, effectiveFrom: null },
      { ...card, aboveInputTokens: null },
      { ...card, condition: "standard" },
      ...usageKinds.map(kind => ({
        ...card,
        rates: { ...card.rates, [kind]: card.rates[kind] + 1n },
      })),
    ];
    expect(new Set([card, ...others].map(priceVersion)).size).toBe(1 + others.length);
  });

  it("is unique to each card of the catalogue", () => {
    const catalogue = createCatalogue();
    const at = new Date("2026-11-01T00:00:00Z");
    const cards = new Set<RateCard>();
    for (const { provider, id } of catalogue.models(at)) {
      for (const inputTokens of [0, 1_000_000]) {
        for (const serviceTier of ["standard", "flex", "priority"]) {
          const found = catalogue.card(provider, id, at, inputTokens, {
            serviceTier,
            speed: null,
            region: null,
          });
          if (found) cards.add(found);
        }
      }
    }
    expect(cards.size).toBeGreaterThan(400);
    expect(new Set([...cards].map(priceVersion)).size).toBe(cards.size);
  });

  it.each([
    ["a rate that is not whole", { ...card, rates: { ...card.rates, input: "1.5" } }],
    ["a missing rate", { ...card, rates: { input: "1" } }],
    ["an unknown provider", { ...card, provider: "acme" }],
    ["an unknown field", { ...card, note: "x" }],
  ])("rejects a stored card with %s", (_, broken) => {
    const text = JSON.stringify(broken, (_key, value) => (typeof value === "bigint" ? String(value) : value));
    expect(() => decodeRateCard(text)).toThrow();
  });

  it("accepts every provider", () => {
    for (const provider of providerIds) {
      expect(decodeRateCard(encodeRateCard({ ...card, provider })).provider).toBe(provider);
    }
  });
});
