import { expect, it } from "bun:test";
import { findProvider } from "@pydantic/genai-prices";
import { type ProviderId, providerIds } from "../provider-id.ts";
import { billingOf } from "./billing/registry.ts";
import { createCatalogue } from "./catalogue.ts";
import { textsOfMatchRule } from "./match-rule.ts";
import { modelAliases } from "./model-aliases.ts";
import { ownPrices } from "./own-prices.ts";
import { isSameModel } from "./same-model.ts";

const catalogue = createCatalogue();

const names: [ProviderId, string, string, boolean][] = [
  ["openai", "gpt-7", "gpt-7", true],
  ["openai", "gpt-7", "gpt-7-2027-08-06", true],
  ["openai", "gpt-7-2027-08-06", "gpt-7", true],
  ["openai", "gpt-7-2027-08-06", "gpt-7-20270806", true],
  ["openai", "gpt-7", "gpt-7-0613", true],
  ["openai", "GPT-7", "gpt-7-latest", true],
  ["anthropic", "claude-opus-9", "claude-opus-9-20270806", true],
  ["anthropic", "claude-opus-9-20270806", "claude-opus-9@20270806", true],
  ["anthropic", "claude-opus-9.1", "claude-opus-9-1-20270806", true],
  ["google", "gemini-9-flash", "models/gemini-9-flash-001", true],
  ["google", "gemini-9-flash-preview", "gemini-9-flash-preview-05-20", true],
  ["google", "gemini-9-flash-preview", "gemini-9-flash-preview-09-2027", true],
  ["google", "gemini-flash-latest", "gemini-3.8-flash-001", true], // an alias
  ["xai", "grok-9-latest", "grok-9-0709", true],
  ["openai", "gpt-7", "gpt-7-mini", false],
  ["openai", "gpt-7", "gpt-7.1", false],
  ["openai", "gpt-7", "gpt-7-mini-2027-08-06", false],
  ["openai", "gpt-7-2027-08-06", "gpt-7-2027-11-01", false],
  ["openai", "gpt-3.5-turbo-0613", "gpt-3.5-turbo-9999", false],
  ["openai", "gpt-4o", "gpt-4o-2024-05-13", false], // listed apart
  ["openai", "gpt-7", "ft:gpt-7:acme::b1c2", false],
  ["openai", "ft:gpt-7-2027-08-06:acme::b1c2", "gpt-7-2027-08-06", false],
  ["anthropic", "claude-opus-9", "claude-opus-9-1", false],
  ["anthropic", "claude-opus-9-20270806", "claude-opus-9-1-20270806", false],
  ["google", "text-embedding-004", "text-embedding-005", false],
  ["google", "gemini-9-flash-001", "gemini-9-flash-002", false],
  ["google", "gemini-9-flash", "gemini-9-flash-lite-001", false],
  ["google", "gemini-9-flash", "gemini-9-flash-preview", false],
  ["xai", "grok-9", "grok-9-fast", false],
];

for (const [provider, a, b, expected] of names)
  it(`${a} and ${b} are ${expected ? "one model" : "two models"}`, () => {
    expect(isSameModel(catalogue, provider, a, b)).toBe(expected);
    expect(isSameModel(catalogue, provider, b, a)).toBe(expected);
  });

for (const provider of providerIds)
  it(`no two names of ${provider} with different prices are one model`, () => {
    const known = namesOf(provider);
    expect(known.length).toBeGreaterThan(20);
    const at = new Date("2026-11-01T00:00:00Z");
    const list = { serviceTier: null, speed: null, region: null };
    const ratesOf = (name: string) => catalogue.card(provider, name, at, 1, list)?.rates;
    const wrong = known.flatMap((a, index) =>
      known
        .slice(index + 1)
        .filter(b => isSameModel(catalogue, provider, a, b) && !Bun.deepEquals(ratesOf(a), ratesOf(b)))
        .map(b => `${a} | ${b}`),
    );
    expect(wrong).toEqual([]);
  });

/** Every name that the price list mentions, listed or matched. */
function namesOf(provider: ProviderId): string[] {
  const base = findProvider({ providerId: billingOf[provider].packageId })?.models ?? [];
  return [
    ...new Set([
      ...base.flatMap(({ id, match }) => [id, ...textsOfMatchRule(match)]).map(name => name.toLowerCase()),
      ...ownPrices.flatMap(entry => (entry.provider === provider ? (entry.model ?? []) : [])),
      ...modelAliases[provider].keys(),
    ]),
  ];
}
