import { modelFacts } from "../models/model-facts.ts";
import { atPricePaid, listRates } from "../pricing/cost-of-tokens.ts";
import { isProviderId } from "../provider-id.ts";
import { groupDigits } from "../wire/group-digits.ts";
import { type LeakCheck, type LeakScan, type ModelUse, sumOfUses } from "./leak-check.ts";
import { agentDays, monthlyWaste } from "./monthly-waste.ts";
import { raisedByMoney } from "./severity.ts";

const ENOUGH_PROMPTS = 5;

interface Bloated {
  readonly use: ModelUse;
  readonly model: string;
  readonly isOversized: boolean;
  readonly isGrown: boolean;
  readonly exactWaste: bigint;
}

/** Prompts that fill most of the context window, or that grow far beyond the first prompt of their session. */
export const contextBloat: LeakCheck = {
  name: "context_bloat",
  run: scan =>
    scan.agents.flatMap(agent => {
      const found = agent.uses.flatMap(use => bloated(scan, use) ?? []);
      const worst = found.toSorted((a, b) => (a.exactWaste < b.exactWaste ? 1 : -1))[0];
      if (worst === undefined) return [];
      const sum = (of: (use: ModelUse) => number) => found.reduce((total, { use }) => total + of(use), 0);
      const days = agentDays(scan, agent);
      const wasteMonthly = monthlyWaste(
        found.reduce((total, one) => total + one.exactWaste, 0n),
        days,
      );
      const oversized = sum(use => use.oversized_calls);
      const grown = sum(use => use.grown_calls);
      const calls = sumOfUses(agent, use => use.calls);
      const isOversized = found.some(one => one.isOversized);
      return {
        check: "context_bloat" as const,
        severity: raisedByMoney(isOversized && oversized * 2 >= calls ? "high" : "medium", wasteMonthly),
        agentId: agent.id,
        agentName: agent.name,
        description: isOversized
          ? `${groupDigits(oversized)} of ${groupDigits(calls)} prompts filled more than 60% of the context window of ${worst.model}.`
          : `${groupDigits(grown)} later prompts of sessions were at least three times as long as the first, and 2,000 tokens longer.`,
        evidence: {
          model: worst.model,
          models: found.length,
          calls,
          oversized_calls: oversized,
          oversized_tokens: sum(use => use.oversized_tokens),
          sessions: sum(use => use.sessions),
          session_first_tokens: sum(use => use.session_first_tokens),
          grown_calls: grown,
          grown_tokens: sum(use => use.grown_tokens),
          max_input_tokens: Math.max(...found.map(({ use }) => use.max_input_tokens)),
          observed_days: days,
        },
        wasteMonthly,
        fix: "Send only what the call needs: summarise older turns, drop tool results that were used, retrieve less.",
        isAutoFixable: false,
      };
    }),
};

function bloated(scan: LeakScan, use: ModelUse): Bloated | null {
  const isOversized = use.oversized_calls >= ENOUGH_PROMPTS && use.oversized_calls * 10 > use.calls;
  const isGrown = use.grown_calls >= ENOUGH_PROMPTS && use.grown_calls * 10 > use.session_later_calls;
  if (!isOversized && !isGrown) return null;
  const rates = listRates(
    scan.catalogue,
    use,
    scan.now,
    Math.floor(use.input_tokens / Math.max(1, use.calls)),
  );
  if (rates === null || !isProviderId(use.provider)) return null;
  // A prompt may be both: only the larger part is reported, never the sum.
  const tokens = Math.max(isOversized ? use.oversized_tokens : 0, isGrown ? use.grown_tokens : 0);
  const facts = modelFacts(scan.catalogue, use.provider, use.model, new Date(scan.now));
  return {
    use,
    model: facts?.id ?? "its model",
    isOversized,
    isGrown,
    exactWaste: atPricePaid(BigInt(tokens) * rates.input, use, rates),
  };
}
