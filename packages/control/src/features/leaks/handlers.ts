import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { leakOperations } from "@tollgate/core/contract/leaks";
import { type Finding, leakChecks } from "@tollgate/core/leaks/finding";
import { leakHealthScore, scanLeaks } from "@tollgate/core/leaks/scan-leaks";
import { totalWaste } from "@tollgate/core/leaks/total-waste";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import type { Handlers } from "../../kernel/handler.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { findAgent } from "../agents/find-agent.ts";
import { readScan } from "./read-scan.ts";

const MAX_FINDINGS = 200;

export const leakHandlers: Handlers<typeof leakOperations> = {
  /** Reads the agent profile, rollups and settings, but no events, so its speed does not depend on their number. */
  "cost_leak_scan.run": async (context, input) => {
    const now = context.now();
    if (input.agent_id !== undefined) await findAgent(context, input.agent_id);
    const { scan, period, leftOut } = await readScan(context, input.agent_id);
    const all = scanLeaks(scan);
    const findings = input.include_low_severity ? all : all.filter(({ severity }) => severity !== "low");
    return {
      scan_timestamp: toIsoTime(now),
      period: toPeriod(period),
      checks_run: [...leakChecks],
      total_agents_scanned: scan.agents.length,
      agents_left_out: leftOut,
      // Over all findings, listed or not: the page size changes no total and no score.
      total_leaks_found: all.length,
      total_estimated_waste_monthly_cents: totalWaste(scan, all) / MICROCENTS_PER_CENT,
      health_score: leakHealthScore(all),
      hidden_low_severity: all.length - findings.length,
      findings: findings.slice(0, MAX_FINDINGS).map(toFinding),
    };
  },
};

function toFinding(finding: Finding) {
  return {
    check: finding.check,
    severity: finding.severity,
    agent_id: finding.agentId,
    agent_name: finding.agentName,
    description: finding.description,
    evidence: finding.evidence,
    estimated_waste_monthly_cents: finding.wasteMonthly / MICROCENTS_PER_CENT,
    fix: finding.fix,
    auto_fixable: finding.isAutoFixable,
  };
}
