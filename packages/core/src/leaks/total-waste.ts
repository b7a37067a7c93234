import type { Finding } from "./finding.ts";
import type { LeakScan } from "./leak-check.ts";
import { wasteByAgent } from "./waste-by-agent.ts";

/** The total monthly waste, in microcents: of every agent, and of the organization as a whole. */
export function totalWaste(scan: LeakScan, findings: readonly Finding[]): number {
  const ofOrganization = findings.filter(({ agentId }) => agentId === null);
  const ofAgents = [...wasteByAgent(scan, findings).values()];
  return (
    ofAgents.reduce((sum, { wasteMonthly }) => sum + wasteMonthly, 0) +
    ofOrganization.reduce((sum, { wasteMonthly }) => sum + wasteMonthly, 0)
  );
}
