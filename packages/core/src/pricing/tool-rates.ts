import { ratePerThousand } from "../money/money.ts";
import type { ProviderId } from "../provider-id.ts";
import { billingOf } from "./billing/registry.ts";
import type { ToolRates } from "./rates.ts";

/** The price of a search, for models whose own prices do not include it. */
export function toolRatesOf(provider: ProviderId, model: string): ToolRates {
  const prices = billingOf[provider].toolPrices(model);
  return {
    web_searches: ratePerThousand(prices.webSearches),
    file_searches: ratePerThousand(prices.fileSearches),
  };
}
