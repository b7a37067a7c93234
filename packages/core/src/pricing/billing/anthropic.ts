import { anyModel, half, type ProviderBilling } from "./billing.ts";

export const anthropicBilling: ProviderBilling = {
  packageId: "anthropic",
  serves: () => true,
  modelNames: /^claude-/,
  // Claude Code's mark for its longer window.
  plainName: name => name.replace(/\[1m\]$/, ""),
  // Some clients write `claude-opus-4.6`; the patterns use dashes.
  patternName: name => name.replaceAll(".", "-"),
  modeWords: [],
  toolPrices: () => ({ webSearches: "10", fileSearches: "0" }),
  // Tiers have no price: `priority` is capacity bought in advance, and a call always has the list price.
  pricedTiers: new Set(),
  keepsTranslatedTier: false,
  pricesSpeedAndRegion: true,
  tierFactors: { batch: half, priority: [[anyModel, "1"]] },
  speedFactors: {
    fast: [
      [/^claude-opus-4-[67]/, "6"],
      [/^claude-(opus-(4-8|5)|(fable|mythos)-5-2)/, "2"],
    ],
  },
  // From 4.6 on. Earlier models keep their price, recorded as `unknown:us`.
  regionFactors: { us: [[/^claude-(opus-4-[678]|sonnet-4-6|(opus|sonnet|haiku|fable|mythos)-5)/, "1.1"]] },
  longWrite: { of: "input", factor: "2" },
  needsCacheMarks: true,
  // Documented as 1,500 to 3,000 a page. It reads no audio.
  media: { pageTokens: 3000, audioTokensPerSecond: 10 },
};
