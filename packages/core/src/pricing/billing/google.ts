import { anyModel, type FactorByModel, half, type ProviderBilling } from "./billing.ts";

/** Up to Gemini 3.1 Pro, cache reads are not discounted in the flex and batch tiers. */
const googleHalf: FactorByModel = [
  [
    /^gemini-(2\.5-(pro|flash|flash-lite)|3-(pro|flash)-preview|3\.1-pro-preview)($|-customtools|(-preview)?-\d)/,
    "0.5",
    "1",
  ],
  ...half,
];

export const googleBilling: ProviderBilling = {
  packageId: "google",
  // The package's `google` includes other vendors' models, which the Gemini API does not serve.
  serves: packageModelId => packageModelId.startsWith("gemini-"),
  modelNames: /^(gemini|gemma)-/,
  plainName: name => name.replace(/^models\/(?=.)/, ""),
  patternName: name => name,
  modeWords: [],
  // Grounding cost more before Gemini 3.
  toolPrices: model => ({
    webSearches: /^gemini-(live-)?(1|2|pro|flash)/.test(model) ? "35" : "14",
    fileSearches: "0",
  }),
  pricedTiers: new Set(["flex", "priority"]),
  keepsTranslatedTier: true,
  pricesSpeedAndRegion: false,
  tierFactors: { flex: googleHalf, batch: googleHalf, priority: [[anyModel, "1.8"]] },
  // Up to Gemini 2.x a prompt grounded with Maps costs $25 per thousand instead of $35; from 3 on both cost the same.
  searchFactors: { google_maps: [[/^gemini-[12]/, "5/7"]] },
  // Published as prices: $3.50 with thinking instead of $0.60. Gemini 2.5 Flash itself has one price for both.
  thinkingFactors: [[/^gemini-2\.5-flash-preview($|-0[45]-)/, "35/6"]],
  needsCacheMarks: false,
  // Gemini 3 at its default resolution; earlier ones count 258 a page.
  media: { pageTokens: 560, audioTokensPerSecond: 32 },
};
