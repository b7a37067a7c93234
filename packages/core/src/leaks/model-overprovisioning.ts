import { modelFacts } from "../models/model-facts.ts";
import type { ModelTier } from "../models/model-tier.ts";
import { isMoreThanPct, listRates, paidForTokens, type TokenCounts } from "../pricing/cost-of-tokens.ts";
import { isProviderId } from "../provider-id.ts";
import { minimums } from "../suggestions/minimums.ts";
import { groupDigits } from "../wire/group-digits.ts";
import { cheapestSubstitute, type Substitute } from "./cheapest-substitute.ts";
import { ENOUGH_CALLS, type LeakCheck, type LeakScan, type ModelUse, presentUses } from "./leak-check.ts";
import { agentDays, monthlyWaste } from "./monthly-waste.ts";
import { raisedByMoney } from "./severity.ts";

/** Tiers suited to short answers. */
const SUBSTITUTE_TIERS: readonly ModelTier[] = ["efficient", "budget"];
const WORTH_PCT = 30n;
const HIGH_PCT = 80n;

interface Overprovisioned {
  readonly use: ModelUse;
  /** As listed in the catalogue. */
  readonly model: string;
  readonly substitute: Substitute;
  readonly exactPaid: bigint;
  readonly exactWaste: bigint;
}

/** An expensive model for short answers that a small one of the same provider could give. */
export const modelOverprovisioning: LeakCheck = {
  name: "model_overprovisioning",
  run: scan =>
    scan.agents.flatMap(agent => {
      const found = presentUses(agent).flatMap(use => overprovisioned(scan, use) ?? []);
      const worst = found.toSorted((a, b) => (a.exactWaste < b.exactWaste ? 1 : -1))[0];
      if (worst === undefined) return [];
      const sum = (of: (use: ModelUse) => number) => found.reduce((total, { use }) => total + of(use), 0);
      const exactWaste = found.reduce((total, one) => total + one.exactWaste, 0n);
      const exactPaid = found.reduce((total, one) => total + one.exactPaid, 0n);
      const days = agentDays(scan, agent);
      const wasteMonthly = monthlyWaste(exactWaste, days);
      const shortCalls = sum(use => use.short_calls);
      const answers = sum(use => use.calls - use.errors);
      const cheaper = worst.substitute.facts.id;
      // A switch applies to all calls of an agent: the long answers of a mixed agent would be switched too.
      const isAlwaysShort = agent.uses.length === 1 && shortCalls * 10 >= answers * 9;
      return {
        check: "model_overprovisioning" as const,
        severity: raisedByMoney(
          isMoreThanPct(exactWaste, exactPaid, HIGH_PCT) ? "high" : "medium",
          wasteMonthly,
        ),
        agentId: agent.id,
        agentName: agent.name,
        description: `${groupDigits(shortCalls)} of ${groupDigits(answers)} answers of ${worst.model} had under 100 tokens; ${cheaper} costs ${percentOf(worst)}% less for the same.`,
        evidence: {
          model: worst.model,
          cheaper_model: cheaper,
          models: found.length,
          calls: sum(use => use.calls),
          short_calls: shortCalls,
          short_input_tokens: sum(use => shortTokens(use).uncached + cachedOf(shortTokens(use))),
          short_output_tokens: sum(use => use.short_output_tokens),
          short_cost_microcents: sum(use => use.short_cost_microcents),
          saving_pct: percentOf(worst),
          observed_days: days,
        },
        wasteMonthly,
        fix: isAlwaysShort
          ? `Switch the agent to ${cheaper}.`
          : `Send the short calls to ${cheaper}; keep ${worst.model} for long answers.`,
        isAutoFixable: isAlwaysShort && sum(use => use.calls) >= minimums.calls,
      };
    }),
};

export function overprovisioned(scan: LeakScan, use: ModelUse): Overprovisioned | null {
  const answers = use.calls - use.errors;
  if (use.short_calls < ENOUGH_CALLS || use.short_calls * 2 < answers) return null;
  if (!isProviderId(use.provider)) return null;
  const facts = modelFacts(scan.catalogue, use.provider, use.model, new Date(scan.now));
  if (facts === null || !facts.isGeneral || (facts.tier !== "frontier" && facts.tier !== "balanced"))
    return null;
  const tokens = shortTokens(use);
  const meanInputTokens = Math.floor((tokens.uncached + cachedOf(tokens)) / use.short_calls);
  const rates = listRates(scan.catalogue, use, scan.now, meanInputTokens);
  if (rates === null) return null;
  const exactPaid = paidForTokens(use.short_cost_microcents, tokens, rates);
  for (const tier of SUBSTITUTE_TIERS) {
    const substitute = cheapestSubstitute(scan.catalogue, scan.now, {
      tier,
      isOf: provider => provider === use.provider,
      maxInputTokens: use.max_input_tokens,
      meanInputTokens,
      tokens,
    });
    const exactWaste = substitute === null ? 0n : exactPaid - substitute.exactCost;
    if (substitute !== null && isMoreThanPct(exactWaste, exactPaid, WORTH_PCT)) {
      return { use, model: facts.id, substitute, exactPaid, exactWaste };
    }
  }
  return null;
}

function shortTokens(use: ModelUse): TokenCounts {
  return {
    uncached: use.short_uncached_input_tokens,
    cacheRead: use.short_cache_read_tokens,
    cacheWrite: use.short_cache_write_tokens,
    cacheWrite1h: use.short_cache_write_1h_tokens,
    output: use.short_output_tokens,
  };
}

function cachedOf(tokens: TokenCounts): number {
  return tokens.cacheRead + tokens.cacheWrite + tokens.cacheWrite1h;
}

function percentOf({ exactWaste, exactPaid }: Overprovisioned): number {
  return Number((exactWaste * 1000n) / exactPaid) / 10;
}
