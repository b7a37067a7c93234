import { expect, it } from "bun:test";
import type { IngestedCall } from "@tollgate/core/ingestion/call";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { priceIngested } from "./price-ingested.ts";

const at = { cost: null, createdAtMs: Date.parse("2026-11-15"), servedModel: null, serviceTier: null };

it("MON-007 a service without a known factor is priced at the list price, as an estimate", () => {
  const basis = (serviceTier: string) =>
    priceIngested(
      { ...at, usage: { input: 1000 }, serviceTier } as IngestedCall,
      "openai",
      "gpt-4o",
      createCatalogue(),
    ).money.cost_basis;
  expect(["default", "priority", "turbo"].map(basis)).toEqual(["priced", "priced", "estimated"]);
});

it("MON-010 a price that makes the cost of a call unknown leaves it unpriced", () => {
  const prices = JSON.stringify({ input_per_million_cents: 1e15, output_per_million_cents: 1e15 });
  const catalogue = createCatalogue({
    ofOrganization: [{ provider: "openai", model: "gpt-4o", prices, effectiveFromMs: 0 }],
  });
  const call = { ...at, usage: { input: 1_000_000 } } as IngestedCall;
  expect(priceIngested(call, "openai", "gpt-4o", catalogue)).toMatchObject({
    money: { cost_microcents: 0, cost_basis: "unpriced", price_version: null },
    cards: [],
  });
});

it("MON-012 an unpriced model that answered for the requested one is priced as that one, as an estimate", () => {
  const priced = (servedModel: string | null) => {
    const call = { ...at, usage: { input: 1000 }, servedModel } as IngestedCall;
    const { money } = priceIngested(call, "openai", "gpt-4o", createCatalogue());
    return [Number(money.cost_microcents), money.cost_basis];
  };
  // $2.50 a million.
  expect(priced(null)).toEqual([25_000, "priced"]);
  expect(priced("gpt-4o-2024-08-06")).toEqual([25_000, "priced"]);
  expect(priced("gpt-4o-mini")).toEqual([1500, "priced"]);
  expect(priced("gpt-99-huge")).toEqual([25_000, "estimated"]);
});

it("MON-015 an organization's own price of an alias counts although the answer names the model", () => {
  const prices = JSON.stringify({ input_per_million_cents: 100, output_per_million_cents: 100 });
  const catalogue = createCatalogue({
    ofOrganization: [{ provider: "google", model: "gemini-flash-latest", prices, effectiveFromMs: 0 }],
  });
  const call = { ...at, usage: { input: 1000 }, servedModel: "gemini-3.8-flash" } as IngestedCall;
  expect(priceIngested(call, "google", "gemini-flash-latest", catalogue).money).toMatchObject({
    cost_microcents: 10_000,
    cost_basis: "priced",
  });
});
