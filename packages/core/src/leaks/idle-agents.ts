import { microcents, RATE_SCALE } from "../money/money.ts";
import { DAY_MS, HOUR_MS } from "../time/durations.ts";
import { groupDigits } from "../wire/group-digits.ts";
import type { Finding } from "./finding.ts";
import { failsOften } from "./high-error-rates.ts";
import type { LeakCheck, LeakScan, ScannedAgent } from "./leak-check.ts";
import { monthlyWaste } from "./monthly-waste.ts";
import { raisedByMoney } from "./severity.ts";

const FORGOTTEN_DAYS = 7;
const ENOUGH_FAILURES = 5;

/** No successful call for a day. */
export const idleAgents: LeakCheck = {
  name: "idle_agents",
  run: scan =>
    scan.agents.flatMap(agent => (agent.isInactive ? [] : (silent(scan, agent) ?? failing(agent) ?? []))),
};

function silent({ now }: LeakScan, agent: ScannedAgent): Finding | null {
  const since = agent.lastCallAt ?? agent.firstSeenAt;
  const hours = Math.floor((now - since) / HOUR_MS);
  if (now - since < DAY_MS || agent.lastDay.calls > 0) return null;
  const isForgotten = now - since >= FORGOTTEN_DAYS * DAY_MS;
  return {
    check: "idle_agents",
    severity: isForgotten ? "medium" : "low",
    agentId: agent.id,
    agentName: agent.name,
    description: `No call for ${hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`}.`,
    evidence: {
      last_call_at: agent.lastCallAt === null ? null : new Date(agent.lastCallAt).toISOString(),
      idle_hours: hours,
      calls_last_24h: 0,
    },
    wasteMonthly: microcents(0),
    fix: "If it is no longer needed, stop what starts it and archive the agent; otherwise find out why it stopped.",
    isAutoFixable: false,
  };
}

function failing(agent: ScannedAgent): Finding | null {
  const { calls, errors, costMicrocents } = agent.lastDay;
  if (calls < ENOUGH_FAILURES || errors < calls) return null;
  // The other check reports it and counts the money.
  const waste = failsOften(agent) ? 0n : BigInt(costMicrocents) * RATE_SCALE;
  const wasteMonthly = monthlyWaste(waste, 1);
  return {
    check: "idle_agents",
    severity: raisedByMoney("high", wasteMonthly),
    agentId: agent.id,
    agentName: agent.name,
    description: `All ${groupDigits(calls)} calls of the last 24 hours failed: it runs for nothing.`,
    evidence: {
      calls_last_24h: calls,
      errors_last_24h: errors,
      cost_last_24h_microcents: costMicrocents,
    },
    wasteMonthly,
    fix: "Pause the agent until its error is found; its events name the error.",
    isAutoFixable: false,
  };
}
