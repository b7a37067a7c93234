import { describe, expect, it } from "bun:test";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { compareRates, onlyInCatalogue } from "./compare-rates.ts";
import { explain } from "./explain.ts";
import explanations from "./explained.json";
import { readLitellmTable } from "./litellm-table.ts";

const at = new Date("2026-11-15T00:00:00Z");
const catalogue = createCatalogue({
  overrides: parsePriceOverrides([
    {
      provider: "openai",
      model: "made-up",
      input_per_million_cents: 200,
      output_per_million_cents: 1000,
      cache_read_per_million_cents: 20,
      input_audio_per_million_cents: 3000,
      web_search_per_thousand_cents: 1000,
      long_context: {
        above_tokens: 271_999,
        input_per_million_cents: 400,
        output_per_million_cents: 1500,
        cache_read_per_million_cents: 40,
      },
    },
    {
      provider: "anthropic",
      model: "claude-opus-5",
      input_per_million_cents: 100,
      output_per_million_cents: 500,
    },
  ]),
});

/** As in the table: dollars per token, a search and nothing else. */
const agreed = {
  litellm_provider: "openai",
  mode: "chat",
  max_input_tokens: 922_000,
  input_cost_per_token: 2e-6,
  output_cost_per_token: 1e-5,
  cache_read_input_token_cost: 2e-7,
  input_cost_per_audio_token: 3e-5,
  input_cost_per_token_above_272k_tokens: 4e-6,
  output_cost_per_token_above_272k_tokens: 1.5e-5,
  cache_read_input_token_cost_above_272k_tokens: 4e-7,
  input_cost_per_token_flex: 1e-6,
  input_cost_per_token_batches: 1e-6,
  output_cost_per_token_above_272k_tokens_flex: 7.5e-6,
  search_context_cost_per_query: { search_context_size_low: 0.005, search_context_size_medium: 0.01 },
  output_cost_per_second: 0.1,
};

const differences = (entry: object, name = "made-up") =>
  compareRates(readLitellmTable({ [name]: entry }), catalogue, at);

describe("comparing prices", () => {
  it("finds nothing if both agree, and ignores other units in the table", () => {
    expect(differences(agreed)).toEqual([]);
    expect(differences(agreed, "openai/made-up")).toEqual([]);
    expect(differences({ ...agreed, litellm_provider: "azure" }, "azure/made-up")).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ["a rate", { output_cost_per_token: 1.2e-5 }, ["output $10, LiteLLM $12"]],
    ["a kind of input", { input_cost_per_audio_token: 4e-5 }, ["input_audio $30, LiteLLM $40"]],
    [
      "a long-context rate",
      { cache_read_input_token_cost_above_272k_tokens: 5e-7 },
      ["cache_read above 272000 $0.4, LiteLLM $0.5"],
    ],
    ["a tier", { input_cost_per_token_flex: 2e-6 }, ["input flex $1, LiteLLM $2"]],
    [
      "a long-context tier",
      { output_cost_per_token_above_272k_tokens_flex: 1e-6 },
      ["output above 272000 flex $7.5, LiteLLM $1"],
    ],
    [
      "the price of a search",
      { search_context_cost_per_query: { search_context_size_medium: 0.025 } },
      ["web_searches $10, LiteLLM $25"],
    ],
    ["a price that nothing reads", { cost_per_dream: 1 }, ["unread field cost_per_dream"]],
  ])("names the rate that differs: %s", (_, change, lines) => {
    expect(differences({ ...agreed, ...change })).toEqual(lines.map(line => `openai made-up: ${line}`));
  });

  it("reports a threshold that the other lacks, or has at another value", () => {
    const short = Object.fromEntries(Object.entries(agreed).filter(([field]) => !field.includes("above")));
    expect(differences(short)).toEqual(["openai made-up: long context above 271999, LiteLLM no threshold"]);
    expect(differences({ ...short, input_cost_per_token_above_200k_tokens: 4e-6 })).toEqual([
      "openai made-up: input above 200000 $2, LiteLLM $4",
      "openai made-up: long context above 271999, LiteLLM 200000",
    ]);
    // A threshold at which nothing changes does not count.
    const flat = { litellm_provider: "gemini", mode: "chat", input_cost_per_token: 0 };
    const free = { ...flat, output_cost_per_token: 0, input_cost_per_token_above_128k_tokens: 0 };
    expect(differences(free, "gemini/gemma-9")).toEqual([]);
  });

  it("supports anthropic's factors for speed and region", () => {
    const entry = { litellm_provider: "anthropic", mode: "chat", input_cost_per_token: 1e-6 };
    const stated = { ...entry, output_cost_per_token: 5e-6, provider_specific_entry: { us: 1.1, fast: 3 } };
    expect(differences(stated, "claude-opus-5")).toEqual([
      "anthropic claude-opus-5: input fast $2, LiteLLM $3",
    ]);
  });

  it("names a model without a price only if a call can request it", () => {
    const unknown = { ...agreed, litellm_provider: "xai" };
    expect(differences(unknown, "xai/nobody-knows")).toEqual(["xai nobody-knows: unpriced, LiteLLM $2"]);
    expect(differences({ ...unknown, mode: "video_generation" }, "xai/nobody-knows")).toEqual([]);
    expect(differences({ litellm_provider: "xai", mode: "chat" }, "xai/nobody-knows")).toEqual([]);
  });

  it("lists models that only the catalogue has", () => {
    const listed = onlyInCatalogue(readLitellmTable({ "made-up": agreed }), catalogue, at);
    expect(listed).toContain("anthropic claude-opus-5");
    expect(listed).not.toContain("openai made-up");
  });
});

describe("explanations", () => {
  it("cover only the differences that they name, and are stale if those are gone", () => {
    const known = [{ reason: "why", differences: ["a", "b"] }];
    expect(explain(["a", "b"], known)).toEqual({ unexplained: [], stale: [] });
    expect(explain(["a", "c"], known)).toEqual({ unexplained: ["c"], stale: ["b"] });
  });

  it("have a reason each, and name no difference twice", () => {
    const named = explanations.flatMap(entry => entry.differences);
    expect(new Set(named).size).toBe(named.length);
    for (const { reason, differences: lines } of explanations) {
      expect(reason.length).toBeGreaterThan(20);
      expect(lines.length).toBeGreaterThan(0);
    }
  });
});
