import { suggestionOperations } from "@tollgate/core/contract/suggestions";
import { type Tier, tierNames } from "@tollgate/core/limits/tiers";

/** Whether the tier includes suggestions; no text may point an organization to them otherwise. */
export function includesSuggestions(tier: Tier): boolean {
  return tierNames.indexOf(tier) >= tierNames.indexOf(suggestionOperations["suggestions.list"].minTier);
}
