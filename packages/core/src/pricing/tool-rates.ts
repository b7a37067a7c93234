/** The price of a search at each provider, for models whose own prices do not include it. */
import { ratePerThousand } from "../money/money.ts";
import type { ProviderId } from "../provider-id.ts";
import type { ToolRates } from "./rates.ts";

interface ToolPrices {
  /** Dollars per thousand. */
  readonly webSearches: string;
  readonly fileSearches: string;
}

/** Zero: the provider has no such tool, or does not charge for it. */
const toolPrices: { readonly [provider in ProviderId]: ToolPrices } = {
  openai: { webSearches: "10", fileSearches: "2.5" },
  anthropic: { webSearches: "10", fileSearches: "0" },
  google: { webSearches: "14", fileSearches: "0" },
  xai: { webSearches: "5", fileSearches: "2.5" },
};

/** Grounding cost more before Gemini 3. */
const googleBeforeGemini3: ToolPrices = { webSearches: "35", fileSearches: "0" };

/** Models that search for every answer; search results are free. */
const openaiSearchPreview: ToolPrices = { webSearches: "25", fileSearches: "2.5" };

export function toolRatesOf(provider: ProviderId, model: string): ToolRates {
  const prices = exceptionOf(provider, model) ?? toolPrices[provider];
  return {
    web_searches: ratePerThousand(prices.webSearches),
    file_searches: ratePerThousand(prices.fileSearches),
  };
}

function exceptionOf(provider: ProviderId, model: string): ToolPrices | null {
  if (provider === "google" && /^gemini-(live-)?(1|2|pro|flash)/.test(model)) return googleBeforeGemini3;
  if (provider === "openai" && model.includes("-search-preview")) return openaiSearchPreview;
  return null;
}
