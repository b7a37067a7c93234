/**
 * Our own price data, on top of the base: models that it lacks, and prices that changed after it was published. Same
 * format as the operator's file, but a `model` also matches its revisions (`-latest`, `-preview`), and a `prefix` that does
 * not end with a dash matches only revisions. Sources of all entries are in docs/decisions/0003-prices.md.
 */
import type { PriceOverridesInput } from "./overrides.ts";
import { anthropicPrices } from "./own-prices/anthropic.ts";
import { googlePrices } from "./own-prices/google.ts";
import { openaiPrices } from "./own-prices/openai.ts";
import { xaiPrices } from "./own-prices/xai.ts";

export const ownPrices: PriceOverridesInput = [
  ...openaiPrices,
  ...anthropicPrices,
  ...googlePrices,
  ...xaiPrices,
];
