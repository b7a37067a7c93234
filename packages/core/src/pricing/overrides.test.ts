import { describe, expect, it } from "bun:test";
import { ratePerMillion, ratePerThousand } from "../money/money.ts";
import { inputKinds, outputKinds } from "../money/usage.ts";
import { createCatalogue } from "./catalogue.ts";
import { costOf } from "./cost.ts";
import { compileOverrides, PriceFileError, parsePriceOverrides } from "./overrides.ts";

const entry = {
  provider: "openai",
  model: "gpt-example",
  input_per_million_cents: 250,
  output_per_million_cents: "1000.5",
};

function faultsOf(json: unknown): readonly string[] {
  try {
    parsePriceOverrides(json);
  } catch (error) {
    if (error instanceof PriceFileError) return error.faults;
    throw error;
  }
  return [];
}

describe("a price file", () => {
  it("MON-015 reads cents per million tokens and per thousand searches, to the exact rate", () => {
    const [price] = compileOverrides(
      "file",
      parsePriceOverrides([
        {
          ...entry,
          from: "2026-02-01",
          cache_read_per_million_cents: 0.000001,
          reasoning_per_million_cents: 7,
          web_search_per_thousand_cents: 1000,
          long_context: { above_tokens: 1000, input_per_million_cents: 500, output_per_million_cents: 2000 },
        },
      ]),
    );
    const [base, long] = price?.period.tiers ?? [];
    expect(price?.period).toMatchObject({ from: "2026-02-01", fromMs: Date.UTC(2026, 1, 1), source: "file" });
    expect(base?.rates).toMatchObject({
      input: ratePerMillion("2.5"),
      output: ratePerMillion("10.005"),
      cache_read: ratePerMillion("0.00000001"),
      reasoning: ratePerMillion("0.07"),
      cache_write: ratePerMillion("2.5"),
      web_searches: ratePerThousand("10"),
    });
    expect(long?.aboveInputTokens).toBe(1000);
    expect(long?.rates).toMatchObject({
      input: ratePerMillion("5"),
      cache_read: ratePerMillion("5"),
      reasoning: ratePerMillion("20"),
      web_searches: ratePerThousand("10"),
    });
  });

  it.each<[string, unknown, string]>([
    ["not a list", { ...entry }, "the file must be a JSON array of prices"],
    ["not an object", [7], "entry 0: must be an object"],
    [
      "an unknown field",
      [entry, { ...entry, model: "b", inputt: 1 }],
      "entry 1 (openai b): unknown field: inputt",
    ],
    [
      "an unknown field of the long context",
      [
        {
          ...entry,
          long_context: { above_tokens: 1, input_per_million_cents: 1, output_per_million_cents: 1, x: 1 },
        },
      ],
      "entry 0 (openai gpt-example): long_context: unknown field: x",
    ],
    [
      "a negative price",
      [{ ...entry, input_per_million_cents: -1 }],
      "entry 0 (openai gpt-example): input_per_million_cents: must be at least 0",
    ],
    [
      "a price that is not a number",
      [{ ...entry, input_per_million_cents: "1,5" }],
      "entry 0 (openai gpt-example): input_per_million_cents: must be an amount in cents",
    ],
    [
      "a price finer than six decimals",
      [{ ...entry, output_per_million_cents: "0.0000001" }],
      "entry 0 (openai gpt-example): output_per_million_cents: must be an amount in cents",
    ],
    [
      "a price at which the cost of a call would not be exact",
      [{ ...entry, output_per_million_cents: "10000000.000001" }],
      "entry 0 (openai gpt-example): output_per_million_cents: must be at most 10,000,000 cents ($100,000)",
    ],
    [
      "no input price",
      [{ ...entry, input_per_million_cents: undefined }],
      "input_per_million_cents: is required",
    ],
    [
      "an unknown provider",
      [{ ...entry, provider: "acme" }],
      "entry 0 (acme gpt-example): provider: must be one of openai, ",
    ],
    ["both names", [{ ...entry, prefix: "gpt-" }], "needs either `model` or `prefix`"],
    ["no name", [{ ...entry, model: undefined }], "entry 0: needs either `model` or `prefix`"],
    ["a day that does not exist", [{ ...entry, from: "2026-02-30" }], "from: "],
    [
      "the same price twice",
      [entry, entry],
      "entry 1 (openai gpt-example): the same model and day as entry 0",
    ],
  ])("MON-015 rejects %s, and names the entry", (_, json, fault) => {
    expect(faultsOf(json).join("\n")).toContain(fault);
  });

  it("allows no price at which a call of 100 million tokens of every kind has an unknown cost", () => {
    const highest = { input_per_million_cents: 10_000_000, output_per_million_cents: 10_000_000 };
    const kinds = [...inputKinds, ...outputKinds];
    const usage = Object.fromEntries(kinds.map(kind => [kind, 100_000_000]));
    // The highest service factors: 6 and 6.6.
    for (const [provider, model, served] of [
      ["openai", "gpt-6-astra", { serviceTier: "ultrafast", speed: null, region: null }],
      ["anthropic", "claude-opus-4-6", { serviceTier: null, speed: "fast", region: "us" }],
    ] as const) {
      const overrides = parsePriceOverrides([{ provider, model, ...highest }]);
      const card = createCatalogue({ overrides }).card(provider, model, new Date(), 0, served);
      if (card === null) throw new Error(`${model} has no price`);
      expect(card.rates.input).toBeGreaterThanOrEqual(6n * ratePerMillion(100_000));
      expect(costOf(usage, card)).not.toBeNull();
    }
  });

  it.each([[["gemini-2.5-flash", "gemini-3.8-flash"]], [["gemini-3.8-flash", "gemini-2.5-flash"]]])(
    "MON-006 MON-007 one prefix prices several models, each under its own conditions: %j",
    models => {
      const overrides = parsePriceOverrides([
        {
          provider: "google",
          prefix: "gemini-",
          input_per_million_cents: 100,
          output_per_million_cents: 500,
          cache_read_per_million_cents: 10,
        },
      ]);
      const catalogue = createCatalogue({ overrides });
      const flex = { serviceTier: "flex", speed: null, region: null };
      const cacheReads = Object.fromEntries(
        models.map(model => [model, catalogue.card("google", model, new Date(), 0, flex)?.rates.cache_read]),
      );
      // Flex does not discount the cache reads of Gemini 2.5.
      expect(cacheReads).toEqual({
        "gemini-2.5-flash": ratePerMillion("0.1"),
        "gemini-3.8-flash": ratePerMillion("0.05"),
      });
    },
  );

  it("matches the documentation", async () => {
    const page = await Bun.file(new URL("../../../../docs/prices.md", import.meta.url)).text();
    const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    expect(parsePriceOverrides(JSON.parse(example))).toHaveLength(3);
  });

  it("reports all faults together", () => {
    const faults = faultsOf([
      { ...entry, provider: "acme" },
      { ...entry, colour: "red" },
    ]);
    expect(faults).toHaveLength(2);
    expect(new PriceFileError(faults).message).toContain("colour");
  });
});
