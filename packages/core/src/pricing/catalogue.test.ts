import { describe, expect, it } from "bun:test";
import { ratePerMillion } from "../money/money.ts";
import { usageKinds } from "../money/usage.ts";
import { type ProviderId, providerIds } from "../provider-id.ts";
import { createCatalogue } from "./catalogue.ts";
import { modelAliases } from "./model-aliases.ts";
import { parsePriceOverrides } from "./overrides.ts";

const listed = { serviceTier: null, speed: null, region: null };
const now = new Date("2026-11-01T00:00:00Z");
const catalogue = createCatalogue();

const withFile = (...entries: object[]) => createCatalogue({ overrides: parsePriceOverrides(entries) });
const price = { input_per_million_cents: 123, output_per_million_cents: 456 };

describe("the catalogue", () => {
  it("has no card for a model without a price", () => {
    for (const [provider, model] of [
      ["openai", "gpt-99"],
      ["openai", "whisper-1"], // billed by the hour
      ["google", "claude-sonnet-4-5"], // sold by google elsewhere, not by the Gemini API
      ["google", "lyria-3.5"], // billed per song
      ["anthropic", "gpt-4o"],
    ] as const) {
      expect(catalogue.card(provider, model, now, 0, listed)).toBeNull();
      expect(catalogue.find(provider, model)).toBeNull();
    }
  });

  it("MON-015 an alias has its model's price until its own begins", () => {
    const model = "gemini-flash-latest";
    const mine = withFile({ provider: "google", model, from: "2026-12-01", ...price });
    const sourceAt = (day: string) => mine.card("google", model, new Date(day), 0, listed)?.source;
    expect(sourceAt("2026-11-30T23:59:59.999Z")).toBe(
      catalogue.card("google", model, now, 0, listed)?.source ?? "",
    );
    expect(sourceAt("2026-12-01")).toBe("file");
    expect(mine.find("google", model)?.contextWindow).toBe(
      catalogue.find("google", model)?.contextWindow ?? null,
    );
  });

  it.each<[ProviderId, string, string]>([
    ["google", "models/gemini-99-pro", "models/gemini-99-pro"],
    ["google", "models/gemini-99-pro", "gemini-99-pro"],
    ["anthropic", "claude-opus-99[1m]", "claude-opus-99[1m]"],
    ["anthropic", "claude-opus-99[1m]", "claude-opus-99"],
    ["anthropic", "claude-sonnet-4-0", "claude-sonnet-4-20250514"],
  ])("MON-015 the operator may name a model as calls do: %s %s prices %s", (provider, stated, called) => {
    const mine = withFile({ provider, model: stated, ...price });
    expect(mine.card(provider, called, now, 0, listed)).toMatchObject({ source: "file" });
  });

  it.each<[string, object[], string]>([
    ["the answering one without prices of its own", [], "gemini-3.8-flash"],
    ["the requested one with a price", [{ model: "gemini-flash-latest" }], "gemini-flash-latest"],
    [
      "the answering one before that",
      [{ model: "gemini-flash-latest", from: "2026-12-01" }],
      "gemini-3.8-flash",
    ],
    [
      "the answering one if both have one",
      [{ model: "gemini-flash-latest" }, { model: "gemini-3.8-flash" }],
      "gemini-3.8-flash",
    ],
    ["the answering one of another model", [{ model: "gemini-flash-latest" }], "gemini-2.5-flash"],
    ["the answering one of a model that nobody lists", [{ model: "gemini-99" }], "gemini-99-turbo"],
  ])("MON-015 an answer is priced under one name: %s", (_, entries, name) => {
    const mine = withFile(...entries.map(entry => ({ provider: "google", ...price, ...entry })));
    const [requested, served] = name.startsWith("gemini-99")
      ? ["gemini-99", name]
      : ["gemini-flash-latest", name === "gemini-2.5-flash" ? name : "gemini-3.8-flash"];
    expect(mine.answeringName("google", requested, served, now)).toBe(name);
  });

  it("MON-002 gives an alias its model's price, on every day and in every tier", () => {
    for (const provider of providerIds) {
      for (const [alias, model] of modelAliases[provider]) {
        for (const at of [now, new Date("2027-02-01T00:00:00Z")]) {
          for (const prompt of [0, 999_999]) {
            const card = catalogue.card(provider, model, at, prompt, { ...listed, serviceTier: "flex" });
            expect(card).not.toBeNull();
            expect(catalogue.card(provider, alias, at, prompt, { ...listed, serviceTier: "flex" })).toEqual(
              card,
            );
          }
        }
        expect(catalogue.providerOf(alias)).toBe(provider);
      }
    }
    const mine = withFile({ provider: "google", model: "gemini-flash-latest", ...price });
    expect(mine.card("google", "gemini-flash-latest", now, 0, listed)?.source).toBe("file");
    expect(mine.card("google", "gemini-3.8-flash", now, 0, listed)?.source).not.toBe("file");
  });

  it("states the source, start date and scope of a price", () => {
    expect(catalogue.card("openai", "O3-2025-04-16", now, 10, listed)).toMatchObject({
      provider: "openai",
      model: "o3",
      source: "genai-prices@0.1.8",
      effectiveFrom: "2025-06-10",
      aboveInputTokens: null,
      condition: "standard",
    });
    expect(
      catalogue.card("anthropic", "claude-haiku-5-5", now, 100_001, { ...listed, serviceTier: "odd" }),
    ).toMatchObject({
      source: "tollgate",
      effectiveFrom: null,
      aboveInputTokens: 100_000,
      condition: "unknown:odd",
    });
  });

  it("BUD-017 no card of a model is more expensive than its `dearestCards`, for any service and length", () => {
    const names = [null, "priority", "fast", "flex", "batch", "auto", "on_demand_priority", "odd"];
    for (const { provider, id } of catalogue.models(now)) {
      for (const most of [0, 150_000, 2_000_000]) {
        const dearest = catalogue.dearestCards(provider, id, now, most);
        for (const inputTokens of [0, most]) {
          for (const serviceTier of names) {
            for (const speed of [null, "fast"]) {
              for (const region of [null, "us"]) {
                for (const hasThoughts of [false, true]) {
                  const served = { serviceTier, speed, region, hasThoughts };
                  const card = catalogue.card(provider, id, now, inputTokens, served);
                  const bound = dearest.find(one => one.aboveInputTokens === card?.aboveInputTokens);
                  if (!card || !bound) throw new Error(`${id} has no bound at ${inputTokens}`);
                  const dearer = usageKinds.filter(kind => card.rates[kind] > bound.rates[kind]);
                  if (dearer.length > 0) throw new Error(`${id} ${card.condition}: ${dearer}`);
                }
              }
            }
          }
        }
      }
    }
  });

  it("BUD-017 bounds a call on either side of a threshold that its prompt may reach, and none without a price", () => {
    const thresholds = (most: number) =>
      catalogue.dearestCards("anthropic", "claude-haiku-5-5", now, most).map(card => card.aboveInputTokens);
    expect(thresholds(0)).toEqual([null]);
    expect(thresholds(100_000)).toEqual([null]);
    expect(thresholds(100_001)).toEqual([null, 100_000]);
    expect(catalogue.dearestCards("openai", "gpt-99", now, 10)).toEqual([]);
  });

  it("changes a price at midnight UTC of its first day", () => {
    const inputAt = (at: string) => catalogue.card("openai", "o3", new Date(at), 0, listed)?.rates.input;
    expect(inputAt("2025-06-09T23:59:59.999Z")).toBe(ratePerMillion(10));
    expect(inputAt("2025-06-10T00:00:00.000Z")).toBe(ratePerMillion(2));
  });

  it.each<[string, ProviderId | null]>([
    ["gpt-4o-mini", "openai"],
    ["GPT-5", "openai"],
    ["o4-mini-2025-04-16", "openai"],
    ["text-embedding-3-small", "openai"],
    ["gpt-99-preview", "openai"],
    ["claude-sonnet-4-5-20250929", "anthropic"],
    ["claude-next-9", "anthropic"],
    ["gemini-2.5-pro", "google"],
    ["gemini-embedding-001", "google"],
    ["models/gemini-99-pro", "google"],
    ["grok-4.7", "xai"],
    ["grok-9", "xai"],
    ["llama-3-70b", null],
    ["", null],
    ["constructor", null],
  ])("routes %p to %p", (model, provider) => {
    expect(catalogue.providerOf(model)).toBe(provider);
    expect(catalogue.providerOf(model)).toBe(provider);
  });

  it("MON-002 lists each model at the price its calls cost", () => {
    const models = catalogue.models(now);
    for (const provider of providerIds) expect(models.some(model => model.provider === provider)).toBe(true);
    expect(new Set(models.map(model => `${model.provider} ${model.id}`)).size).toBe(models.length);
    for (const { provider, id, inputRate, outputRate, created } of models) {
      expect(catalogue.card(provider, id, now, 0, listed)?.rates).toMatchObject({
        input: inputRate,
        output: outputRate,
      });
      expect(catalogue.providerOf(id)).toBe(provider);
      expect(catalogue.find(provider, id)?.id).toBe(id);
      expect(Number.isSafeInteger(created)).toBe(true);
    }
    expect(models.find(model => model.id === "claude-haiku-5-5")).toEqual({
      id: "claude-haiku-5-5",
      provider: "anthropic",
      releasedOn: "2026-10-07",
      created: Date.UTC(2026, 9, 7) / 1000,
      inputRate: ratePerMillion("0.1"),
      outputRate: ratePerMillion("0.5"),
      contextWindow: 1_000_000,
    });
  });

  it("lists no model as released on a day on which only its price changes", () => {
    const mine = withFile({ provider: "openai", model: "gpt-4o-2024-08-06", from: "2027-01-01", ...price });
    const releasedOn = (id: string) => mine.models(now).find(model => model.id === id)?.releasedOn;
    expect(releasedOn("gpt-4o-2024-08-06")).toBe("2024-08-06");
    // Its announced price of December.
    expect(releasedOn("gemini-4-argon")).toBeNull();
  });

  it("gives the same answers after evicting cached names", () => {
    const small = createCatalogue();
    const before = small.card("openai", "gpt-4o", now, 0, listed);
    for (let i = 0; i < 5000; i += 1) small.card("openai", `nobody-${i}`, now, 0, listed);
    expect(small.card("openai", "gpt-4o", now, 0, listed)).toBe(before);
  });
});

describe("the operator's prices", () => {
  it("MON-015 win over the base and over our corrections, in the card and in the list", () => {
    for (const [provider, model, answered] of [
      ["openai", "gpt-4o-mini", "gpt-4o-mini-2024-07-18"],
      ["anthropic", "claude-haiku-5-5", "claude-haiku-5-5-20261007"],
      ["anthropic", "claude-3-5-haiku-latest", "claude-3-5-haiku-20241022"],
    ] as const) {
      const mine = withFile({ provider, model, ...price });
      for (const name of [model, answered]) {
        expect(mine.card(provider, name, now, 0, listed)).toMatchObject({
          source: "file",
          model,
          rates: { input: ratePerMillion("1.23"), output: ratePerMillion("4.56") },
        });
      }
      const rows = mine.models(now).filter(row => row.id === model);
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({
        inputRate: ratePerMillion("1.23"),
        outputRate: ratePerMillion("4.56"),
      });
    }
  });

  it("MON-015 do not affect any other model", () => {
    const mine = withFile({ provider: "anthropic", model: "claude-sonnet-5", ...price });
    for (const model of ["claude-sonnet-5-5", "claude-sonnet-4-5"]) {
      expect(mine.card("anthropic", model, now, 0, listed)).toEqual(
        catalogue.card("anthropic", model, now, 0, listed),
      );
    }
  });

  it("price a model that had none, and route it", () => {
    const mine = withFile({ provider: "xai", model: "gpt-in-house", ...price });
    expect(mine.card("xai", "gpt-in-house", now, 0, listed)?.source).toBe("file");
    expect(mine.providerOf("gpt-in-house")).toBe("xai");
    expect(mine.models(now).some(model => model.id === "gpt-in-house")).toBe(true);
  });

  it("prefer the exact name to a prefix, and the longer prefix to the shorter", () => {
    const mine = withFile(
      { provider: "openai", prefix: "ft:", ...price, input_per_million_cents: 100 },
      { provider: "openai", prefix: "ft:gpt-6", ...price, input_per_million_cents: 200 },
      { provider: "openai", model: "ft:gpt-6-luna:acme", ...price, input_per_million_cents: 300 },
    );
    const inputOf = (model: string) => mine.card("openai", model, now, 0, listed)?.rates.input;
    expect(inputOf("ft:anything")).toBe(ratePerMillion(1));
    expect(inputOf("ft:gpt-6-sol:acme")).toBe(ratePerMillion(2));
    expect(inputOf("ft:gpt-6-luna:acme")).toBe(ratePerMillion(3));
  });

  it("apply from their day on, and the base before it", () => {
    const mine = withFile(
      { provider: "openai", model: "gpt-4o", from: "2026-10-01", ...price },
      { provider: "openai", model: "gpt-4o", from: "2026-12-01", ...price, input_per_million_cents: 99 },
    );
    const inputAt = (at: string) => mine.card("openai", "gpt-4o", new Date(at), 0, listed)?.rates.input;
    expect(inputAt("2026-09-30T23:59:59Z")).toBe(ratePerMillion("2.5"));
    expect(inputAt("2026-10-01T00:00:00Z")).toBe(ratePerMillion("1.23"));
    expect(inputAt("2026-12-01T00:00:00Z")).toBe(ratePerMillion("0.99"));
  });

  it("MON-007 are list prices: a call under other service conditions is scaled", () => {
    const mine = withFile({ provider: "openai", model: "gpt-5", ...price });
    const card = mine.card("openai", "gpt-5", now, 0, { ...listed, serviceTier: "flex" });
    expect(card?.rates.input).toBe(ratePerMillion("0.615"));
  });
});
