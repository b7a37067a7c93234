import { anyModel, type ProviderBilling } from "./billing.ts";

export const xaiBilling: ProviderBilling = {
  packageId: "x-ai",
  serves: () => true,
  modelNames: /^grok-/,
  plainName: name => name,
  patternName: name => name,
  modeWords: ["reasoning", "non-reasoning", "multi-agent"],
  toolPrices: () => ({ webSearches: "5", fileSearches: "2.5" }),
  violationFees: "50",
  pricedTiers: new Set(["priority"]),
  keepsTranslatedTier: false,
  pricesSpeedAndRegion: false,
  // Batches are 20 to 50 % off, depending on the model, and published for few: the rest is `unknown:batch`.
  tierFactors: { batch: [[/^grok-4\.(20|3|7)($|-)/, "0.8"]], priority: [[anyModel, "2"]] },
  needsCacheMarks: false,
  // Not documented: as openai's.
  media: { pageTokens: 1500, audioTokensPerSecond: 10 },
};
