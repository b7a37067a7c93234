import { describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { type PromptSize, textPrompt } from "@tollgate/core/pricing/prompt-size";
import { decodeRateCard } from "@tollgate/core/pricing/rates";
import { emptyReading } from "@tollgate/providers/exchange";
import { samplePricedCall as call } from "../../../../test/support/sample-priced-call.ts";
import { priceReading } from "./price-reading.ts";

const price = (model: string, input: number, output: number) => ({
  provider: "anthropic" as const,
  model,
  input_per_million_cents: input,
  output_per_million_cents: output,
});
// 100 cents per million are 10 microcents per token.
const catalogue = createCatalogue({
  overrides: parsePriceOverrides([price("big", 100, 1000), price("small", 10, 50)]),
});

const nothing = { ...emptyReading() };

describe("priceReading", () => {
  it("MON-002 prices the provider's own counts at the rates of the model", () => {
    const { fields, cards } = priceReading(
      call,
      { ...nothing, usage: { input: 1000, output: 7 } },
      catalogue,
    );
    expect(fields).toMatchObject({
      input_tokens: 1000,
      output_tokens: 7,
      usage: { input: 1000, output: 7 },
      usage_source: "provider",
      cost_microcents: 10_000 + 700,
      cost_basis: "priced",
    });
    expect(cards.map(({ version }) => version)).toEqual([fields.price_version ?? ""]);
    expect(cards.map(({ card }) => decodeRateCard(card).model)).toEqual(["big"]);
  });

  it("MON-012 prices the model that answered; if that has no price, as the requested one, as an estimate", () => {
    const usage = { input: 1000 };
    const cost = (servedModel: string) => {
      const { fields } = priceReading(call, { ...nothing, usage, servedModel }, catalogue);
      return [Number(fields.cost_microcents), fields.cost_basis, fields.usage_source];
    };
    expect(cost("small")).toEqual([1000, "priced", "provider"]);
    expect(cost("big-2026-11-01")).toEqual([10_000, "priced", "provider"]);
    expect(cost("big-001")).toEqual([10_000, "priced", "provider"]);
    expect(cost("big-latest")).toEqual([10_000, "priced", "provider"]);
    expect(cost("big-turbo")).toEqual([10_000, "estimated", "provider"]);
    expect(cost("nobody-knows")).toEqual([10_000, "estimated", "provider"]);
  });

  it("MON-008 selects the tier by the largest iteration: the first as reported, or estimated from the prompt", () => {
    const base = price("stepped", 100, 1000);
    const long = { above_tokens: 100_000, input_per_million_cents: 200, output_per_million_cents: 2000 };
    const stepped = createCatalogue({ overrides: parsePriceOverrides([{ ...base, long_context: long }]) });
    const priced = (firstInput: number | null, prompt: PromptSize, input = 150_000) => {
      const iterations = { count: 2, firstInput, resultTokens: 8000 };
      const reading = { ...nothing, usage: { input }, iterations };
      const { fields } = priceReading({ ...call, model: "stepped", prompt }, reading, stepped);
      return [Number(fields.cost_microcents), fields.cost_basis];
    };
    const words = textPrompt(4);
    expect(priced(70_000, words)).toEqual([1_500_000, "priced"]); // 70,000 and 80,000
    expect(priced(20_000, words)).toEqual([3_000_000, "priced"]); // 20,000 and 130,000
    // A prompt of 280,000 bytes has about 70,000 tokens: both iterations are short, whatever the text is.
    expect(priced(null, textPrompt(280_000))).toEqual([1_500_000, "priced"]);
    expect(priced(null, words)).toEqual([3_000_000, "priced"]);
    // The provider adds what the request only refers to: each may be of any length.
    const referring = { ...words, mediaTokens: 10_000 };
    expect(priced(null, referring)).toEqual([1_500_000, "estimated"]);
    expect(priced(null, referring, 230_000)).toEqual([4_600_000, "priced"]); // one of them is above 100,000
    expect(priced(null, referring, 90_000)).toEqual([900_000, "priced"]);
  });

  it("estimates only the input if only that was not reported", () => {
    const partial = { output: 18, reasoning: 58 };
    const { fields } = priceReading(
      call,
      { ...nothing, partial, isInputMissing: true, outputBytes: 9 },
      catalogue,
    );
    expect(fields).toMatchObject({
      usage: { input: 100, output: 18, reasoning: 58 }, // 400 bytes
      usage_source: "estimated",
      cost_basis: "estimated",
      cost_microcents: 8_600, // 100 × 10 + 76 × 100
    });
  });

  it("MON-012 is unpriced, not free, when no price is known", () => {
    const unknown = { ...call, model: "nobody-knows" };
    const { fields, cards } = priceReading(unknown, { ...nothing, usage: { input: 9 } }, catalogue);
    expect(fields).toMatchObject({
      input_tokens: 9,
      usage_source: "provider",
      cost_microcents: 0,
      cost_basis: "unpriced",
      price_version: null,
    });
    expect(cards).toEqual([]);
  });

  it("MON-010 estimates from the bytes if text came without usage", () => {
    for (const ending of ["completed", "cut"] as const) {
      const { fields } = priceReading({ ...call, ending }, { ...nothing, outputBytes: 40 }, catalogue);
      expect(fields).toMatchObject({
        usage: { input: 100, output: 10 },
        usage_source: "estimated",
        cost_microcents: 1000 + 1000,
        cost_basis: "estimated",
      });
    }
  });

  it("MON-018 charges at least the prompt for a call that was sent, however little came back", () => {
    expect(priceReading({ ...call, ending: "cut" }, nothing, catalogue).fields).toMatchObject({
      usage: { input: 100 },
      usage_source: "estimated",
      cost_microcents: 1000,
      cost_basis: "estimated",
    });
  });

  it("MON-010 charges nothing for a call that the provider refused or never received", () => {
    for (const ending of ["refused", "unsent"] as const) {
      const { fields, cards } = priceReading({ ...call, ending }, nothing, catalogue);
      expect(fields).toMatchObject({
        usage: {},
        usage_source: "none",
        cost_microcents: 0,
        cost_basis: "priced",
        price_version: null,
      });
      expect(cards).toEqual([]);
    }
  });

  it("MON-018 charges a cut prompt that may have been written to the cache as if it was", () => {
    const prompt = { ...textPrompt(8000), cacheWrite: "cache_write_1h" as const };
    const cut = { ...call, prompt, ending: "cut" as const };
    const { fields } = priceReading(cut, nothing, catalogue);
    expect(fields).toMatchObject({ usage: { cache_write_1h: 2000 }, cost_microcents: 2000 * 2 * 10 });
    const known = priceReading(cut, { ...nothing, partial: { input: 1500, cache_read: 400 } }, catalogue);
    expect(known.fields.usage).toEqual({ input: 1500, cache_read: 400 });

    // $2 a million, $2.50 if written. OpenAI caches without being asked, but no short prompts.
    const openai = (bytes: number, model: string) =>
      priceReading(
        { ...call, provider: "openai", model, prompt: textPrompt(bytes), ending: "cut" },
        nothing,
        createCatalogue(),
      ).fields;
    expect(openai(8000, "gpt-6.1-sol")).toMatchObject({
      usage: { cache_write: 2000 },
      cost_microcents: 50_000,
    });
    expect(openai(4000, "gpt-6.1-sol").usage).toEqual({ input: 1000 });
    expect(openai(8000, "gpt-4o").usage).toEqual({ input: 2000 });
  });

  it("MON-018 charges audio at its own rates, heard or spoken", () => {
    const spoken = {
      ...call,
      provider: "openai",
      model: "gpt-4o-audio-preview",
      prompt: { ...textPrompt(400), audioTokens: 300 },
      ending: "cut",
    } as const;
    // $2.50 and $40 per million for input, $10 and $80 for output.
    const heard = priceReading(spoken, { ...nothing, outputBytes: 480, audioTokens: 100 }, createCatalogue());
    expect(heard.fields.usage).toEqual({ input: 100, input_audio: 300, output: 20, output_audio: 100 });
    expect(Number(heard.fields.cost_microcents)).toBe(100 * 25 + 300 * 400 + 20 * 100 + 100 * 800);
    const hidden = { kind: "output_audio", tokens: 500 } as const;
    const unheard = priceReading({ ...spoken, hidden }, nothing, createCatalogue());
    expect(unheard.fields.usage).toMatchObject({ output_audio: 500 });
  });

  it("MON-018 charges the output up to a provider's failure in mid-answer", () => {
    const partial = { input: 70 };
    expect(priceReading({ ...call, ending: "cut" }, { ...nothing, partial }, catalogue).fields).toMatchObject(
      { usage: { input: 70 }, usage_source: "estimated", cost_basis: "estimated" },
    );
  });

  it("MON-019 adds the hidden output of a cut call to what was seen, each token once", () => {
    const cut = { ...call, ending: "cut", hidden: { kind: "reasoning", tokens: 500 } } as const;
    const usageOf = (outputBytes: number) =>
      priceReading(cut, { ...nothing, outputBytes }, catalogue).fields.usage;
    expect(usageOf(0)).toEqual({ input: 100, reasoning: 500 });
    expect(usageOf(400)).toEqual({ input: 100, output: 100, reasoning: 400 });
    expect(usageOf(4000)).toEqual({ input: 100, output: 1000 });
    const unstreamed = { ...cut, hidden: { kind: "output", tokens: 500 } } as const;
    expect(priceReading(unstreamed, nothing, catalogue).fields.usage).toEqual({ input: 100, output: 500 });
  });

  it("MON-018 counts what the provider reported before the cut, searches too, and marks it as an estimate", () => {
    const partial = { input: 50, output: 20, reasoning: 30, web_searches: 2 };
    const cut = { ...call, ending: "cut", hidden: { kind: "reasoning", tokens: 120 } } as const;
    expect(priceReading(cut, { ...nothing, partial, outputBytes: 240 }, catalogue).fields).toMatchObject({
      usage: { input: 50, output: 60, reasoning: 60, web_searches: 2 },
      usage_source: "estimated",
      cost_basis: "estimated",
    });
    const searched = { ...nothing, partial: { web_searches: 1 } };
    expect(priceReading({ ...call, ending: "cut" }, searched, catalogue).fields.usage).toEqual({
      input: 100,
      web_searches: 1,
    });
  });

  it("MON-018 estimates no more output than the call allowed, and keeps what the provider states", () => {
    const cut = { ...call, ending: "cut", outputBound: 30 } as const;
    const usageOf = (reading: object, of: object = cut) =>
      priceReading({ ...cut, ...of }, { ...nothing, ...reading }, catalogue).fields.usage;
    expect(usageOf({ outputBytes: 116 })).toEqual({ input: 100, output: 29 });
    expect(usageOf({ outputBytes: 120 })).toEqual({ input: 100, output: 30 });
    expect(usageOf({ outputBytes: 4000 })).toEqual({ input: 100, output: 30 });
    expect(usageOf({ outputBytes: 4000 }, { ending: "completed" })).toEqual({ input: 100, output: 30 });
    const hidden = { kind: "reasoning", tokens: 30 } as const;
    expect(usageOf({ outputBytes: 80 }, { hidden })).toEqual({ input: 100, output: 20, reasoning: 10 });
    expect(usageOf({ outputBytes: 4000 }, { hidden })).toEqual({ input: 100, output: 30 });
    expect(usageOf({ outputBytes: 4000, audioTokens: 50 })).toEqual({ input: 100, output_audio: 30 });
    // Part of it was stated: the rest of the text fits into what is left.
    expect(usageOf({ partial: { input: 9, reasoning: 25 }, outputBytes: 400 })).toEqual({
      input: 9,
      output: 5,
      reasoning: 25,
    });
    expect(usageOf({ partial: { input: 9, output: 44 }, outputBytes: 400 })).toEqual({
      input: 9,
      output: 44,
    });
    expect(usageOf({ usage: { input: 9, output: 44 }, outputBytes: 400 })).toEqual({ input: 9, output: 44 });
    expect(usageOf({ outputBytes: 4000 }, { outputBound: null })).toEqual({ input: 100, output: 1000 });
  });

  it("MON-018 adds what each iteration of a cut tool loop read: the prompt again, and all results so far", () => {
    const cut = { ...call, ending: "cut" } as const;
    const usageOf = (reading: object) =>
      priceReading(cut, { ...nothing, ...reading }, catalogue).fields.usage;
    // 500 + (500 + 1,000) + (500 + 1,200)
    expect(usageOf({ partial: { input: 500 }, toolResultTokens: [1000, 1200] })).toEqual({ input: 3700 });
    // 400 bytes are 100 tokens: 100 + (100 + 8,000)
    expect(usageOf({ partial: { web_searches: 1 }, toolResultTokens: [8000] })).toEqual({
      input: 8200,
      web_searches: 1,
    });
    // What the first iteration read from the cache or wrote to it, the second reads.
    expect(
      usageOf({ partial: { input: 5, cache_read: 50, cache_write: 20 }, toolResultTokens: [100] }),
    ).toEqual({
      input: 110,
      cache_read: 120,
      cache_write: 20,
    });
    expect(priceReading(cut, { ...nothing, toolResultTokens: [100] }, catalogue).fields).toMatchObject({
      usage_source: "estimated",
      cost_basis: "estimated",
    });
  });

  it("MON-008 lets no iteration of a cut tool loop exceed the window, and selects the tier by the largest", () => {
    const base = { ...price("stepped", 100, 1000), context_window: 90_000 };
    const long = { above_tokens: 80_000, input_per_million_cents: 200, output_per_million_cents: 2000 };
    const stepped = createCatalogue({ overrides: parsePriceOverrides([{ ...base, long_context: long }]) });
    const cost = (...toolResultTokens: number[]) =>
      priceReading(
        { ...call, model: "stepped", ending: "cut" },
        { ...nothing, partial: { input: 1000 }, toolResultTokens },
        stepped,
      ).fields.cost_microcents;
    expect(cost(70_000, 75_000)).toBe(microcents(1_480_000)); // 1,000 + 71,000 + 76,000
    expect(cost(70_000, 500_000)).toBe(microcents(3_240_000)); // 1,000 + 71,000 + 90,000, all at the long rate
  });

  it("MON-018 prices a cut call at the requested service, unless the answer reported another", () => {
    const cut = { ...call, provider: "openai", model: "gpt-5", ending: "cut" } as const;
    const cost = (asked: string | null, told: string | null, reading: object = {}) => {
      const service = (serviceTier: string | null) => ({ serviceTier, speed: null, region: null });
      return Number(
        priceReading(
          { ...cut, asked: asked === null ? null : service(asked) },
          { ...nothing, served: service(told), ...reading },
          catalogue,
        ).fields.cost_microcents,
      );
    };
    const list = cost(null, null);
    expect(cost("priority", null)).toBe(2 * list);
    expect(cost("flex", null)).toBe(Math.round(list / 2));
    expect(cost("priority", "default")).toBe(list);
    // A complete answer that reports no tier was served at the list price.
    const usage = { input: 100 };
    expect(cost("priority", null, { usage })).toBe(cost(null, null, { usage }));
  });

  it("charges the prompt for a complete answer without text or usage: an embedding without counts", () => {
    expect(priceReading(call, nothing, catalogue).fields).toMatchObject({
      usage: { input: 100 },
      usage_source: "estimated",
      cost_microcents: 1000,
    });
  });

  it("GW-034 keeps the provider's input counts for an incomplete answer, and counts the output", () => {
    const partial = { input: 5, cache_read: 50 };
    const broken = { ...call, ending: "cut" as const };
    expect(priceReading(broken, { ...nothing, partial, outputBytes: 8 }, catalogue).fields).toMatchObject({
      usage: { input: 5, cache_read: 50, output: 2 },
      usage_source: "estimated",
      cost_basis: "estimated",
    });
    expect(priceReading(broken, { ...nothing, partial }, catalogue).fields).toMatchObject({
      usage: partial,
      usage_source: "estimated",
      cost_basis: "estimated",
    });
  });

  it("prices another model's work at that model's rates, and counts its tokens once", () => {
    const reading = {
      ...nothing,
      usage: { input: 100, output: 10 },
      additional: [{ model: "small", usage: { input: 1000, output: 100 } }],
    };
    const { fields, cards } = priceReading(call, reading, catalogue);
    expect(fields).toMatchObject({
      input_tokens: 1100,
      output_tokens: 110,
      usage: { input: 100, output: 10 },
      cost_microcents: 1000 + 1000 + (1000 + 500),
      cost_basis: "priced",
    });
    expect(cards.map(({ card }) => decodeRateCard(card).model)).toEqual(["big", "small"]);
    expect(fields.additional_usage?.[0]?.price_version).toBe(cards[1]?.version ?? "");
  });

  it("MON-018 prices a side model without a price at the rates of the main one, as an estimate", () => {
    const reading = {
      ...nothing,
      usage: { input: 100, output: 10 },
      additional: [{ model: "nobody-knows", usage: { input: 50 } }],
    };
    const { fields } = priceReading(call, reading, catalogue);
    expect(fields).toMatchObject({
      input_tokens: 150,
      cost_microcents: 1000 + 1000 + 500,
      cost_basis: "estimated",
      usage_source: "provider",
    });
    expect(fields.additional_usage?.[0]?.price_version).toBe(fields.price_version);
    const unknown = { ...call, model: "nobody-knows-either" };
    expect(priceReading(unknown, reading, catalogue).fields).toMatchObject({
      cost_microcents: 0,
      cost_basis: "unpriced",
    });
  });
});
