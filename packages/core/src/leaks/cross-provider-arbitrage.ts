import { modelFacts } from "../models/model-facts.ts";
import {
  isMoreThanPct,
  listRates,
  paidForTokens,
  tokensOf,
  withoutCache,
} from "../pricing/cost-of-tokens.ts";
import { isProviderId } from "../provider-id.ts";
import { cheapestSubstitute, type Substitute } from "./cheapest-substitute.ts";
import { ENOUGH_CALLS, type LeakCheck, type LeakScan, type ModelUse, presentUses } from "./leak-check.ts";
import { overprovisioned } from "./model-overprovisioning.ts";
import { agentDays, monthlyWaste } from "./monthly-waste.ts";
import { raisedByMoney } from "./severity.ts";

const GAP_PCT = 30n;
const WIDE_GAP_PCT = 50n;

interface Gap {
  readonly use: ModelUse;
  readonly model: string;
  readonly tier: string;
  readonly substitute: Substitute;
  readonly exactPaid: bigint;
  readonly exactWaste: bigint;
}

/** The same tokens cost much less with a model of the same tier at another provider. */
export const crossProviderArbitrage: LeakCheck = {
  name: "cross_provider_arbitrage",
  run: scan =>
    scan.agents.flatMap(agent => {
      const found = presentUses(agent).flatMap(use => gapOf(scan, use) ?? []);
      const widest = found.toSorted((a, b) => (a.exactWaste < b.exactWaste ? 1 : -1))[0];
      if (widest === undefined) return [];
      const exactWaste = found.reduce((sum, gap) => sum + gap.exactWaste, 0n);
      const exactPaid = found.reduce((sum, gap) => sum + gap.exactPaid, 0n);
      const days = agentDays(scan, agent);
      const wasteMonthly = monthlyWaste(exactWaste, days);
      const gapPct = Number((widest.exactWaste * 1000n) / widest.exactPaid) / 10;
      const { id, provider } = widest.substitute.facts;
      const sum = (of: (use: ModelUse) => number) => found.reduce((total, { use }) => total + of(use), 0);
      return {
        check: "cross_provider_arbitrage" as const,
        severity: raisedByMoney(
          isMoreThanPct(exactWaste, exactPaid, WIDE_GAP_PCT) ? "medium" : "low",
          wasteMonthly,
        ),
        agentId: agent.id,
        agentName: agent.name,
        description: `${id} of ${provider}, ${widest.tier} like ${widest.model}, costs ${gapPct}% less for the same tokens.`,
        evidence: {
          model: widest.model,
          provider: widest.use.provider,
          cheaper_model: id,
          cheaper_provider: provider,
          tier: widest.tier,
          models: found.length,
          calls: sum(use => use.calls),
          input_tokens: sum(use => use.input_tokens),
          output_tokens: sum(use => use.output_tokens),
          cost_microcents: sum(use => use.cost_microcents),
          gap_pct: gapPct,
          observed_days: days,
        },
        wasteMonthly,
        fix: `Try ${id} with a part of the traffic first, in an experiment; its calls need a key of ${provider}.`,
        isAutoFixable: false,
      };
    }),
};

function gapOf(scan: LeakScan, use: ModelUse): Gap | null {
  if (use.calls - use.errors < ENOUGH_CALLS || !isProviderId(use.provider)) return null;
  // Its own provider has a cheaper substitute: that check reports it, and the money must not be counted twice.
  if (overprovisioned(scan, use) !== null) return null;
  const facts = modelFacts(scan.catalogue, use.provider, use.model, new Date(scan.now));
  if (facts === null || !facts.isGeneral) return null;
  const tokens = tokensOf(use);
  const meanInputTokens = Math.floor(use.input_tokens / use.calls);
  const rates = listRates(scan.catalogue, use, scan.now, meanInputTokens);
  if (rates === null) return null;
  const exactPaid = paidForTokens(use.cost_microcents, tokens, rates);
  const substitute = cheapestSubstitute(scan.catalogue, scan.now, {
    tier: facts.tier,
    isOf: provider => provider !== use.provider,
    maxInputTokens: use.max_input_tokens,
    meanInputTokens,
    tokens: withoutCache(tokens),
  });
  if (substitute === null) return null;
  const exactWaste = exactPaid - substitute.exactCost;
  if (!isMoreThanPct(exactWaste, exactPaid, GAP_PCT)) return null;
  return { use, model: facts.id, tier: facts.tier, substitute, exactPaid, exactWaste };
}
