import { RATE_SCALE } from "../money/money.ts";
import type { Finding } from "./finding.ts";
import { type LeakScan, sumOfUses } from "./leak-check.ts";
import { agentDays, monthlyWaste } from "./monthly-waste.ts";

/** Microcents per thirty days. */
interface AgentWaste {
  readonly costMonthly: number;
  readonly wasteMonthly: number;
}

/** Every scanned agent. Several checks may find the same call, so an agent's waste is capped at its cost. */
export function wasteByAgent(scan: LeakScan, findings: readonly Finding[]): ReadonlyMap<string, AgentWaste> {
  const found = Map.groupBy(findings, ({ agentId }) => agentId);
  return new Map(
    scan.agents.map(agent => {
      const cost = BigInt(sumOfUses(agent, use => use.cost_microcents)) * RATE_SCALE;
      const costMonthly = monthlyWaste(cost, agentDays(scan, agent));
      const claimed = (found.get(agent.id) ?? []).reduce((sum, { wasteMonthly }) => sum + wasteMonthly, 0);
      return [agent.id, { costMonthly, wasteMonthly: Math.min(claimed, costMonthly) }] as const;
    }),
  );
}
