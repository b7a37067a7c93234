import { fail, type TollgateError } from "@tollgate/core/errors";
import type { Tier } from "@tollgate/core/limits/tiers";

export function tierLimit(sentence: string, required: Tier, current: Tier, publicUrl: string): TollgateError {
  return fail("tier_limit", sentence, {
    required_tier: required,
    current_tier: current,
    upgrade_url: `${publicUrl}/settings/plan`,
  });
}
