import { suggestionsList } from "@tollgate/core/contract/suggestions/list";
import { type Tier, tierNames } from "@tollgate/core/limits/tiers";

/** Whether an organization of this tier may ask for its suggestions; no text may send it there otherwise. */
export function includesSuggestions(tier: Tier): boolean {
  return tierNames.indexOf(tier) >= tierNames.indexOf(suggestionsList.minTier);
}
