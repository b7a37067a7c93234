import { z } from "zod";
import { isoTime } from "./iso-time.ts";
import { objectId } from "./object-id.ts";
import { operation } from "./operation.ts";

export const costLeakScanRun = operation({
  id: "cost_leak_scan.run",
  method: "GET",
  path: "/api/cost-leak-scan",
  summary: "Where money leaks",
  query: z.strictObject({ agent_id: objectId.optional() }),
  output: z.strictObject({
    scan_timestamp: isoTime,
    checks_run: z.array(z.string()).meta({ description: "What was looked for; empty: nothing was" }),
    total_agents_scanned: z.int(),
    total_leaks_found: z.int(),
    total_estimated_waste_monthly_cents: z.number(),
    health_score: z.number().nullable().meta({ description: "0 to 100; null while no check has run" }),
    findings: z.array(
      z.strictObject({
        check: z.string(),
        severity: z.enum(["critical", "high", "medium", "low"]),
        agent_id: z.string().nullable(),
        description: z.string(),
        estimated_waste_monthly_cents: z.number(),
        fix: z.string(),
      }),
    ),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
  minTier: "lite",
});
