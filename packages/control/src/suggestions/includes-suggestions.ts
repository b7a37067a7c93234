import { suggestionsList } from "@tollgate/core/contract/suggestions/list";
import { type Tier, tierNames } from "@tollgate/core/limits/tiers";

/** Whether the tier includes suggestions; no text may point an organization to them otherwise. */
export function includesSuggestions(tier: Tier): boolean {
  return tierNames.indexOf(tier) >= tierNames.indexOf(suggestionsList.minTier);
}
