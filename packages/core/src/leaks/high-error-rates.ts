import { RATE_SCALE } from "../money/money.ts";
import { groupDigits } from "../wire/group-digits.ts";
import type { LeakSeverity } from "./finding.ts";
import { ENOUGH_CALLS, type LeakCheck, type ScannedAgent, sumOfUses } from "./leak-check.ts";
import { agentDays, monthlyWaste } from "./monthly-waste.ts";
import { raisedByMoney } from "./severity.ts";

/**
 * Calls that fail, or are repeatedly resent after a failure. The waste is the cost of the failed calls; a retry that
 * succeeds is not waste.
 */
export const highErrorRates: LeakCheck = {
  name: "high_error_rates",
  run: scan =>
    scan.agents.flatMap(agent => {
      const counts = countsOf(agent);
      if (!failsOften(agent)) return [];
      const { calls, errors, retries } = counts;
      const errorCost = sumOfUses(agent, use => use.error_cost_microcents);
      const days = agentDays(scan, agent);
      const wasteMonthly = monthlyWaste(BigInt(errorCost) * RATE_SCALE, days);
      const isStorm = isOften(retries, calls);
      return {
        check: "high_error_rates" as const,
        severity: raisedByMoney(severityOf(Math.max(errors, retries), calls), wasteMonthly),
        agentId: agent.id,
        agentName: agent.name,
        description:
          `${groupDigits(errors)} of ${groupDigits(calls)} calls failed (${percent(errors, calls)}%)` +
          (isStorm ? `, and ${groupDigits(retries)} were sent again within a minute after a failure.` : "."),
        evidence: {
          calls,
          errors,
          error_rate_pct: percent(errors, calls),
          error_cost_microcents: errorCost,
          retry_calls: retries,
          retry_cost_microcents: sumOfUses(agent, use => use.retry_cost_microcents),
          observed_days: days,
        },
        wasteMonthly,
        fix: isStorm
          ? "Wait longer before each retry, honour Retry-After, and give up after three; look up the error in the agent's events."
          : "Look up the errors of the agent's calls, and do not retry a call that can only fail again.",
        isAutoFixable: false,
      };
    }),
};

export function failsOften(agent: ScannedAgent): boolean {
  const { calls, errors, retries } = countsOf(agent);
  return calls >= ENOUGH_CALLS && (isOften(errors, calls) || isOften(retries, calls));
}

function countsOf(agent: ScannedAgent) {
  return {
    calls: sumOfUses(agent, use => use.calls),
    errors: sumOfUses(agent, use => use.errors),
    retries: sumOfUses(agent, use => use.retry_calls),
  };
}

function isOften(part: number, calls: number): boolean {
  return part * 10 > calls;
}

function severityOf(failed: number, calls: number): LeakSeverity {
  if (failed * 2 >= calls) return "critical";
  return failed * 4 >= calls ? "high" : "medium";
}

function percent(part: number, whole: number): number {
  return Math.round((part * 1000) / whole) / 10;
}
