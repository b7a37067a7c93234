import type { costLeakScanRun as operation } from "@tollgate/core/contract/cost-leak-scan-run";
import { toIsoTime } from "@tollgate/core/contract/iso-time";
import { findAgent } from "./find-agent.ts";
import type { Handler } from "./handler.ts";

/** No check exists yet, and the answer says so: an empty `checks_run` is not a clean bill. */
export const costLeakScanRun: Handler<typeof operation> = async (context, input) => {
  if (input.agent_id !== undefined) await findAgent(context, input.agent_id);
  return {
    scan_timestamp: toIsoTime(context.now()),
    checks_run: [],
    total_agents_scanned: 0,
    total_leaks_found: 0,
    total_estimated_waste_monthly_cents: 0,
    health_score: null,
    findings: [],
  };
};
