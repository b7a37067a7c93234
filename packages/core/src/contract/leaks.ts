import { z } from "zod";
import { leakChecks, leakSeverities } from "../leaks/finding.ts";
import { isoTime } from "./fields/iso-time.ts";
import { objectId } from "./fields/object-id.ts";
import { periodResource } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";

const cents = z.number().min(0).meta({ description: "Cents, to the microcent; over 30 days" });

const finding = z
  .strictObject({
    check: z.enum(leakChecks),
    severity: z.enum(leakSeverities),
    agent_id: z.string().nullable().meta({ description: "null: the whole organization" }),
    agent_name: z.string().nullable(),
    description: z.string(),
    evidence: z
      .record(z.string(), z.union([z.number(), z.string(), z.null()]))
      .meta({ description: "The organization's own numbers that the finding rests on" }),
    estimated_waste_monthly_cents: cents,
    fix: z.string(),
    auto_fixable: z.boolean().meta({ description: "The gateway can do it: svc_apply_optimization" }),
  })
  .meta({ id: "CostLeak" });

export const leakOperations = declareOperations({
  "cost_leak_scan.run": {
    method: "GET",
    path: "/api/cost-leak-scan",
    summary: "Scan for wasted spend",
    query: z.strictObject({
      agent_id: objectId.optional().meta({ description: "One agent; the whole fleet unless given" }),
      include_low_severity: z
        .boolean()
        .default(false)
        .meta({ description: "false: counted in totals and score, and not listed" }),
    }),
    output: z.strictObject({
      scan_timestamp: isoTime,
      period: periodResource,
      checks_run: z.array(z.enum(leakChecks)),
      total_agents_scanned: z.int().min(0),
      agents_left_out: z
        .int()
        .min(0)
        .meta({ description: "Of a fleet of more than 1,000 agents those that cost most are scanned" }),
      total_leaks_found: z.int().min(0),
      total_estimated_waste_monthly_cents: cents,
      health_score: z.int().min(0).max(100).meta({
        description:
          "100 less 20, 15, 8, 3 for each critical, high, medium, low finding, listed or not; 0 at least",
      }),
      hidden_low_severity: z.int().min(0).meta({ description: "Findings that are counted and not listed" }),
      findings: z.array(finding).meta({ description: "The worst first; at most 200 of `total_leaks_found`" }),
    }),
    ...readAccess,
    minTier: "lite",
  },
});
