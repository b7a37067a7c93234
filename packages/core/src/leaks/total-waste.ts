import { RATE_SCALE } from "../money/money.ts";
import type { Finding } from "./finding.ts";
import { type LeakScan, sumOfUses } from "./leak-check.ts";
import { monthlyWaste, observedDays } from "./monthly-waste.ts";

/**
 * The total monthly waste, in microcents. Several checks may find the same call, so an agent's waste is capped at its
 * cost.
 */
export function totalWaste(scan: LeakScan, findings: readonly Finding[]): number {
  const costs = new Map(
    scan.agents.map(agent => {
      const cost = BigInt(sumOfUses(agent, use => use.cost_microcents)) * RATE_SCALE;
      return [agent.id, monthlyWaste(cost, observedDays(scan, agent))] as const;
    }),
  );
  const wasted = new Map<string | null, number>();
  for (const { agentId, wasteMonthly } of findings) {
    wasted.set(agentId, (wasted.get(agentId) ?? 0) + wasteMonthly);
  }
  let total = 0;
  for (const [agentId, waste] of wasted) {
    total += agentId === null ? waste : Math.min(waste, costs.get(agentId) ?? waste);
  }
  return total;
}
