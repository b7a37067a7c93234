import { microcents, RATE_SCALE, saturated } from "../money/money.ts";
import type { Finding } from "./finding.ts";
import { type LeakCheck, type LeakScan, type ScannedAgent, sumOfUses } from "./leak-check.ts";
import { agentDays, monthlyWaste } from "./monthly-waste.ts";

/**
 * Spending without a budget. Any active budget counts, in every enforcement mode; a paused one does not. No money is
 * wasted yet.
 */
export const missingBudgets: LeakCheck = {
  name: "missing_budgets",
  run(scan) {
    const active = scan.budgets.filter(budget => !budget.isPaused);
    if (active.some(budget => budget.agentId === null)) return [];
    const covered = new Set(active.map(budget => budget.agentId));
    const uncovered = scan.agents.filter(agent => !covered.has(agent.id) && spent(agent) > 0);
    if (uncovered.length === 0) return [];
    // If no agent has a budget, one for the organization fixes it, so it is one finding.
    if (covered.size === 0 && !scan.isSingleAgent) return [ofOrganization(scan, uncovered)];
    return uncovered.map(agent => ofAgent(scan, agent));
  },
};

function ofOrganization(scan: LeakScan, agents: readonly ScannedAgent[]): Finding {
  const monthly = saturated(agents.reduce((sum, agent) => sum + monthlySpend(scan, agent), 0));
  return {
    check: "missing_budgets",
    severity: "medium",
    agentId: null,
    agentName: null,
    description: `${agents.length} ${agents.length === 1 ? "agent spends" : "agents spend"} without any budget.`,
    evidence: {
      spending_agents: agents.length,
      cost_microcents: saturated(agents.reduce((sum, agent) => sum + spent(agent), 0)),
      monthly_cost_microcents: monthly,
      budgets_in_force: 0,
      paused_budgets: scan.budgets.filter(budget => budget.isPaused).length,
    },
    wasteMonthly: microcents(0),
    fix: "Set a monthly budget for the organization; alert_only notifies without blocking calls.",
    isAutoFixable: false,
  };
}

function ofAgent(scan: LeakScan, agent: ScannedAgent): Finding {
  return {
    check: "missing_budgets",
    severity: "medium",
    agentId: agent.id,
    agentName: agent.name,
    description: "It spends without a budget of its own or of the organization.",
    evidence: {
      cost_microcents: spent(agent),
      monthly_cost_microcents: monthlySpend(scan, agent),
      paused_budgets: scan.budgets.filter(budget => budget.isPaused && budget.agentId === agent.id).length,
    },
    wasteMonthly: microcents(0),
    fix: "Set a monthly budget for the agent, or one for the organization.",
    isAutoFixable: false,
  };
}

function spent(agent: ScannedAgent): number {
  return sumOfUses(agent, use => use.cost_microcents);
}

function monthlySpend(scan: LeakScan, agent: ScannedAgent): number {
  return monthlyWaste(BigInt(spent(agent)) * RATE_SCALE, agentDays(scan, agent));
}
