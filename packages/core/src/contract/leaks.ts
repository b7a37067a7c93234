import { z } from "zod";
import { leakChecks, leakSeverities } from "../leaks/finding.ts";
import { isoTime } from "./fields/iso-time.ts";
import { objectId } from "./fields/object-id.ts";
import { periodResource } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";

const cents = z.number().min(0).meta({ description: "Cents per 30 days, exact to the microcent" });

const finding = z
  .strictObject({
    check: z.enum(leakChecks),
    severity: z.enum(leakSeverities),
    agent_id: z.string().nullable().meta({ description: "null: the whole organization" }),
    agent_name: z.string().nullable(),
    description: z.string(),
    evidence: z
      .record(z.string(), z.union([z.number(), z.string(), z.null()]))
      .meta({ description: "The organization's own numbers behind the finding" }),
    estimated_waste_monthly_cents: cents,
    fix: z.string(),
    auto_fixable: z.boolean().meta({ description: "The gateway can apply the fix: svc_apply_optimization" }),
  })
  .meta({ id: "CostLeak" });

export const leakOperations = declareOperations({
  "cost_leak_scan.run": {
    method: "GET",
    path: "/api/cost-leak-scan",
    summary: "Scan for wasted spend",
    query: z.strictObject({
      agent_id: objectId.optional().meta({ description: "Omitted: the whole fleet" }),
      include_low_severity: z
        .boolean()
        .default(false)
        .meta({ description: "false: they are counted in totals and score but not listed" }),
    }),
    output: z.strictObject({
      scan_timestamp: isoTime,
      period: periodResource,
      checks_run: z.array(z.enum(leakChecks)),
      total_agents_scanned: z.int().min(0),
      agents_left_out: z.int().min(0).meta({
        description: "In a fleet of more than 1,000 agents, only the most expensive ones are scanned",
      }),
      total_leaks_found: z.int().min(0),
      total_estimated_waste_monthly_cents: cents,
      health_score: z.int().min(0).max(100).meta({
        description:
          "100 minus 20, 15, 8 or 3 for each critical, high, medium or low finding, listed or not; at least 0",
      }),
      hidden_low_severity: z.int().min(0).meta({ description: "Findings that are counted but not listed" }),
      findings: z
        .array(finding)
        .meta({ description: "Most severe first; at most 200 of `total_leaks_found`" }),
    }),
    ...readAccess,
    minTier: "lite",
  },
});
