import { type FactorByModel, half, type ProviderBilling } from "./billing.ts";

/** Images are generated at the list price, whatever the tier of the answer that they are part of. */
const listImages: FactorByModel[number] = [/^(gpt|chatgpt)-image/, "1"];

export const openaiBilling: ProviderBilling = {
  packageId: "openai",
  serves: () => true,
  modelNames: /^(ft:)?(gpt-|chatgpt-|chat-latest|codex-|daybreak-|o\d|text-embedding-|computer-use)/,
  plainName: name => name,
  patternName: name => name,
  modeWords: [],
  // Models that search for every answer cost more per search, and search results are free.
  toolPrices: model => ({
    webSearches: model.includes("-search-preview") ? "25" : "10",
    fileSearches: "2.5",
  }),
  pricedTiers: new Set(["flex", "priority", "fast", "ultrafast"]),
  keepsTranslatedTier: true,
  pricesSpeedAndRegion: false,
  tierFactors: {
    flex: [listImages, ...half],
    batch: half,
    // Published as prices, not as factors: 5/3 is $0.25 for $0.15, 20/11 is $2.00 for $1.10.
    priority: [
      listImages,
      [/^gpt-6/, "2"],
      [/^gpt-5[.-]5/, "2.5"],
      [/^gpt-5-mini/, "1.8"],
      [/^gpt-5/, "2"],
      [/^gpt-4\.1-nano/, "2"],
      [/^gpt-4\.1/, "1.75"],
      [/^gpt-4o-mini($|-20)/, "5/3"],
      [/^gpt-4o-2024-05-13/, "1.75"],
      [/^gpt-4o($|-20)/, "1.7"],
      [/^o3($|-20)/, "1.75"],
      [/^o4-mini($|-20)/, "20/11"],
    ],
    ultrafast: [listImages, [/^gpt-6(\.1-sol|-astra)/, "6"]],
  },
  // $25 per thousand instead of $10.
  searchFactors: { web_search_preview: [[/^(ft:)?(gpt-4|chatgpt-)|^gpt-5(\.\d)?-chat/, "2.5"]] },
  // 2.5 times the input price, where ordinary writes cost 1.25 times. Earlier models write for free, and not for that long.
  longWrite: { of: "cache_write", factor: "2" },
  needsCacheMarks: false,
  // The text of a page, about 700 tokens, and its image in four tiles, 765.
  media: { pageTokens: 1500, audioTokensPerSecond: 10 },
};
