import { describe, expect, it } from "bun:test";
import { microcents } from "../money/money.ts";
import { createCatalogue } from "../pricing/catalogue.ts";
import { switchedSaving } from "./switched-saving.ts";

const catalogue = createCatalogue();

/** gpt-4o was requested, gpt-4o-mini has answered: 1000 × 1.5 + 100 × 6 microcents. */
const switched: Parameters<typeof switchedSaving>[0] = {
  created_at: Date.parse("2026-11-15T12:00:00Z"),
  provider: "openai",
  model: "gpt-4o-mini",
  requested_model: "gpt-4o",
  input_tokens: 1000,
  usage: { input: 1000, output: 100 },
  additional_usage: null,
  cost_microcents: microcents(2100),
  cost_basis: "priced",
  service_tier: null,
  arm: null,
};

describe("what a switched call has saved", () => {
  it.each<[string, Partial<typeof switched>, ReturnType<typeof switchedSaving>]>([
    // 1000 × 25 + 100 × 100 = 35,000 microcents as gpt-4o
    ["another model answered", {}, { kind: "saved", microcents: 32_900 }],
    [
      "the requested one has a provider prefix",
      { requested_model: "openai/gpt-4o" },
      { kind: "saved", microcents: 32_900 },
    ],
    // 1000 × 30 + 100 × 150 = 45,000 as claude-sonnet-4-5, whose service tiers are different
    [
      "the requested one is another provider's",
      { requested_model: "claude-sonnet-4-5", service_tier: "flex" },
      { kind: "saved", microcents: 42_900 },
    ],
    // flex costs half
    [
      "a service tier applies to both",
      { service_tier: "flex", cost_microcents: microcents(1050) },
      { kind: "saved", microcents: 16_450 },
    ],
    // 400 × 12.5 + 600 × 25 + 100 × 100 = 30,000
    [
      "part of it was read from a cache",
      { usage: { input: 600, cache_read: 400, output: 100 } },
      { kind: "saved", microcents: 27_900 },
    ],
    [
      "it was the more expensive one",
      { model: "gpt-4o", requested_model: "gpt-4o-mini", cost_microcents: microcents(35_000) },
      { kind: "saved", microcents: -32_900 },
    ],
    ["the asked model answered", { requested_model: "gpt-4o-mini" }, { kind: "unchanged" }],
    ["the same, with its provider's name", { requested_model: "openai/gpt-4o-mini" }, { kind: "unchanged" }],
    ["an experiment switched it", { arm: "treatment" }, { kind: "unchanged" }],
    ["an experiment left it", { arm: "control" }, { kind: "saved", microcents: 32_900 }],
    ["the asked model has no price", { requested_model: "nobody-knows" }, { kind: "unpriced" }],
    ["its own cost is unknown", { cost_basis: "unpriced" }, { kind: "unpriced" }],
  ])("%s", (_, change, saving) => {
    expect(switchedSaving({ ...switched, ...change }, catalogue)).toEqual(saving);
  });
});
