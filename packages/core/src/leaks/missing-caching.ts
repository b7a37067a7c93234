import { modelFacts } from "../models/model-facts.ts";
import { RATE_SCALE } from "../money/money.ts";
import { needsCacheMarks } from "../pricing/billing/needs-cache-marks.ts";
import { atPricePaid, listRates } from "../pricing/cost-of-tokens.ts";
import { isProviderId } from "../provider-id.ts";
import { minimums } from "../suggestions/minimums.ts";
import { groupDigits } from "../wire/group-digits.ts";
import type { Finding } from "./finding.ts";
import {
  ENOUGH_CALLS,
  type LeakCheck,
  type LeakScan,
  type ModelUse,
  presentUses,
  type ScannedAgent,
} from "./leak-check.ts";
import { agentDays, monthlyWaste } from "./monthly-waste.ts";
import { raisedByMoney } from "./severity.ts";

interface Uncached {
  readonly use: ModelUse;
  readonly model: string;
  readonly exactWaste: bigint;
}

/**
 * Long prompts that share a prefix with one from the previous hour, and read no cache. No provider caches short ones;
 * if those are identical, the answer could have been cached by the client.
 */
export const missingCaching: LeakCheck = {
  name: "missing_caching",
  run: scan => scan.agents.flatMap(agent => uncached(scan, agent) ?? repeated(scan, agent) ?? []),
};

function uncached(scan: LeakScan, agent: ScannedAgent): Finding | null {
  const found = presentUses(agent).flatMap(use =>
    needsCacheMarks(use) && agent.appliedOptimizations.hasPromptCaching ? [] : (uncachedUse(scan, use) ?? []),
  );
  const worst = found.toSorted((a, b) => (a.exactWaste < b.exactWaste ? 1 : -1))[0];
  if (worst === undefined) return null;
  const sum = (of: (use: ModelUse) => number) => found.reduce((total, { use }) => total + of(use), 0);
  const days = agentDays(scan, agent);
  const wasteMonthly = monthlyWaste(
    found.reduce((total, one) => total + one.exactWaste, 0n),
    days,
  );
  const calls = sum(use => use.cacheable_calls);
  const tokens = sum(use => use.cacheable_tokens);
  const input = sum(use => use.input_tokens);
  // Fixable automatically only if it is also suggested, which requires more calls.
  const isAutoFixable =
    sum(use => use.calls) >= minimums.calls && found.every(({ use }) => needsCacheMarks(use));
  return {
    check: "missing_caching",
    severity: raisedByMoney(tokens * 2 >= input ? "high" : "medium", wasteMonthly),
    agentId: agent.id,
    agentName: agent.name,
    description: `${groupDigits(calls)} prompts to ${worst.model} shared a prefix with one from the previous hour, and read no cache: ${groupDigits(tokens)} tokens at the full price.`,
    evidence: {
      model: worst.model,
      models: found.length,
      calls: sum(use => use.calls),
      repeated_prompts: calls,
      repeated_tokens: tokens,
      first_tokens: sum(use => use.cacheable_start_tokens),
      repeated_prompts_within_5m: sum(use => use.cacheable_5m_calls),
      repeated_tokens_within_5m: sum(use => use.cacheable_5m_tokens),
      first_tokens_within_5m: sum(use => use.cacheable_5m_start_tokens),
      identical_requests: sum(use => use.repeat_calls),
      input_tokens: input,
      cache_read_tokens: sum(use => use.cache_read_tokens),
      observed_days: days,
    },
    wasteMonthly,
    fix: isAutoFixable
      ? "Turn on prompt caching: mark the end of the part that stays the same."
      : "Put what stays the same (instructions, tools, documents) first and unchanged, so that the provider caches it.",
    isAutoFixable,
  };
}

function uncachedUse(scan: LeakScan, use: ModelUse): Uncached | null {
  if (use.cacheable_calls < ENOUGH_CALLS) return null;
  const ratesFor = (inputTokens: number) => listRates(scan.catalogue, use, scan.now, Math.floor(inputTokens));
  const rates = ratesFor(use.cacheable_tokens / use.cacheable_calls);
  // The discount is that of all calls, whose prompts may be shorter.
  const usualRates = ratesFor(use.input_tokens / use.calls);
  if (rates === null || usualRates === null || !isProviderId(use.provider)) return null;
  const saved = rates.input - rates.cache_read;
  // A write price below the plain one would not be a premium.
  const premium = (write: bigint) => (write > rates.input ? write - rates.input : 0n);
  const anHour =
    BigInt(use.cacheable_tokens) * saved - BigInt(use.cacheable_start_tokens) * premium(rates.cache_write_1h);
  const fiveMinutes =
    BigInt(use.cacheable_5m_tokens) * saved -
    BigInt(use.cacheable_5m_start_tokens) * premium(rates.cache_write);
  const listedWaste = anHour > fiveMinutes ? anHour : fiveMinutes;
  const exactWaste = atPricePaid(listedWaste, use, usualRates);
  if (exactWaste <= 0n) return null;
  const facts = modelFacts(scan.catalogue, use.provider, use.model, new Date(scan.now));
  return { use, model: facts?.id ?? "its model", exactWaste };
}

function repeated(scan: LeakScan, agent: ScannedAgent): Finding | null {
  const uses = agent.uses.filter(
    use =>
      use.repeat_calls >= ENOUGH_CALLS && use.repeat_calls * 10 > use.calls && use.repeat_cost_microcents > 0,
  );
  if (uses.length === 0) return null;
  const sum = (of: (use: ModelUse) => number) => uses.reduce((total, use) => total + of(use), 0);
  const days = agentDays(scan, agent);
  const cost = sum(use => use.repeat_cost_microcents);
  const wasteMonthly = monthlyWaste(BigInt(cost) * RATE_SCALE, days);
  const calls = sum(use => use.repeat_calls);
  return {
    check: "missing_caching",
    severity: raisedByMoney("low", wasteMonthly),
    agentId: agent.id,
    agentName: agent.name,
    description: `${groupDigits(calls)} requests were identical to one answered within the previous hour.`,
    evidence: {
      calls: sum(use => use.calls),
      identical_requests: calls,
      identical_input_tokens: sum(use => use.repeat_input_tokens),
      identical_cost_microcents: cost,
      observed_days: days,
    },
    wasteMonthly,
    fix: "Keep the answers to requests that come again, or find out why they come again.",
    isAutoFixable: false,
  };
}
