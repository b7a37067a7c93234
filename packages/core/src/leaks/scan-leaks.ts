import { contextBloat } from "./context-bloat.ts";
import { crossProviderArbitrage } from "./cross-provider-arbitrage.ts";
import {
  type Finding,
  type LeakCheckName,
  type LeakSeverity,
  leakChecks,
  leakSeverities,
} from "./finding.ts";
import { highErrorRates } from "./high-error-rates.ts";
import { idleAgents } from "./idle-agents.ts";
import type { LeakCheck, LeakScan } from "./leak-check.ts";
import { missingBudgets } from "./missing-budgets.ts";
import { missingCaching } from "./missing-caching.ts";
import { modelOverprovisioning } from "./model-overprovisioning.ts";

/** A new check is a file, a name, and a line here. */
const registry: { readonly [name in LeakCheckName]: LeakCheck } = {
  idle_agents: idleAgents,
  model_overprovisioning: modelOverprovisioning,
  missing_caching: missingCaching,
  high_error_rates: highErrorRates,
  context_bloat: contextBloat,
  missing_budgets: missingBudgets,
  cross_provider_arbitrage: crossProviderArbitrage,
};

/** Most severe first; within one severity, largest waste first. */
export function scanLeaks(scan: LeakScan): Finding[] {
  return leakChecks
    .flatMap(name => registry[name].run(scan))
    .toSorted(
      (a, b) =>
        leakSeverities.indexOf(a.severity) - leakSeverities.indexOf(b.severity) ||
        b.wasteMonthly - a.wasteMonthly,
    );
}

const penalty: { readonly [severity in LeakSeverity]: number } = {
  critical: 20,
  high: 15,
  medium: 8,
  low: 3,
};

export function leakHealthScore(findings: readonly Finding[]): number {
  return Math.max(0, 100 - findings.reduce((sum, { severity }) => sum + penalty[severity], 0));
}
