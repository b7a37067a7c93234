import { z } from "zod";
import { enforcementModes } from "../budgets/budget.ts";
import { budgetPeriods } from "../budgets/period.ts";
import { modes } from "../event.ts";
import { optimizationTypes } from "../suggestions/suggestion-types.ts";
import { evidenceModes, verdictNames } from "../verification/vocabulary.ts";
import { envelope } from "./fields/envelope.ts";
import { isoTime } from "./fields/iso-time.ts";
import { idParams, objectId } from "./fields/object-id.ts";
import { cursorInput, nextCursor, pageLimit } from "./fields/paging.ts";
import { periodResource } from "./fields/period.ts";
import { headlineDays, headlineResource } from "./loop-views.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

const microDollars = envelope.meta({ description: "Micro-dollars: $1 is 1,000,000" });

const spend = { calls: envelope, unpriced_calls: envelope, spend: microDollars };

/** The frozen content of a report. Names are as they were then, in one line of plain text. */
export const reportSnapshot = z
  .strictObject({
    methodology_version: z.string(),
    generated_at: isoTime,
    title: z.string(),
    organization: z.string(),
    mode: z.enum(modes),
    period: periodResource,
    headline: headlineResource,
    spend_by_agent: z.array(
      z.strictObject({
        kind: z.enum(["agent", "other_agents", "verifications"]).meta({
          description: "The most expensive agents one by one, all others together, and verifications",
        }),
        agent: z.string().nullable(),
        ...spend,
      }),
    ),
    spend_by_model: z.array(
      z.strictObject({
        provider: z.string().nullable(),
        model: z.string().nullable().meta({ description: "null: all other models together" }),
        ...spend,
      }),
    ),
    savings: z.array(
      z.strictObject({
        agent: z.string(),
        optimization_type: z.enum(optimizationTypes),
        from_model: z.string(),
        to_model: z.string().nullable(),
        applied_at: isoTime,
        undone_at: isoTime.nullable(),
        calls: envelope,
        left_out_calls: envelope,
        saved: microDollars.meta({ description: "Micro-dollars; null: of none of the calls is it known" }),
      }),
    ),
    verdicts: z.array(
      z.strictObject({
        agent: z.string().nullable().meta({ description: "null: every agent of the production model" }),
        prod_model: z.string(),
        candidate_model: z.string(),
        verdict: z.enum(verdictNames),
        evidence_mode: z.enum(evidenceModes),
        pairs: envelope,
        mean_score: envelope,
        margin: envelope,
        saving_per_call: microDollars,
        concluded_at: isoTime,
        expires_at: isoTime,
        is_in_force: z.boolean().meta({ description: "Neither expired nor invalidated when it was frozen" }),
      }),
    ),
    budgets: z.array(
      z.strictObject({
        agent: z.string().nullable().meta({ description: "null: the whole organization" }),
        period: z.enum(budgetPeriods),
        enforcement_mode: z.enum(enforcementModes),
        is_paused: z.boolean(),
        limit: microDollars,
        spent: microDollars,
        unpriced_calls: envelope
          .optional()
          .meta({ description: "Left out of `spent`; absent in reports of an earlier version" }),
        resets_at: isoTime,
      }),
    ),
    methodology: z.array(z.string()),
  })
  .meta({ id: "ReportSnapshot" });

const reportResource = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    status: z.enum(["active", "expired", "revoked"]),
    snapshot_hash: z.string(),
    methodology_version: z.string(),
    created_by: z.string(),
    created_at: isoTime,
    expires_at: isoTime,
    revoked_at: isoTime.nullable(),
  })
  .meta({ id: "Report" });

export const sharedReport = z
  .strictObject({
    snapshot_hash: z
      .string()
      .meta({ description: "SHA-256 of `snapshot` as canonical JSON (RFC 8785), in hex" }),
    methodology_version: z.string(),
    created_at: isoTime,
    expires_at: isoTime,
    snapshot: reportSnapshot,
  })
  .meta({ id: "SharedReport" });

export const reportOperations = declareOperations({
  "reports.create": {
    method: "POST",
    path: "/api/reports",
    summary: "Freeze spend, savings, verdicts and budgets in a report that can be shared",
    body: z.strictObject({
      title: z.string().trim().min(1).max(200).optional(),
      days: z.literal(headlineDays).default(30),
      expires_in_days: z.int().min(1).max(365).default(30),
    }),
    output: z
      .strictObject({
        ...reportResource.shape,
        share_token: z
          .string()
          .meta({ description: "Shown only once; anyone who has it can read the report" }),
        url: z.string().meta({ description: "The report as a page, without sign-in" }),
      })
      .meta({ id: "CreatedReport" }),
    status: 201,
    ...writeAccess,
  },
  "reports.list": {
    method: "GET",
    path: "/api/reports",
    summary: "Reports, newest first, without their share tokens",
    query: z.strictObject({ limit: pageLimit(200), cursor: cursorInput.optional() }),
    output: z.strictObject({ reports: z.array(reportResource), next_cursor: nextCursor }),
    ...readAccess,
  },
  "reports.revoke": {
    method: "DELETE",
    path: "/api/reports/:id",
    summary: "Stop sharing a report",
    params: idParams,
    output: reportResource,
    ...writeAccess,
  },
  "reports.read": {
    method: "GET",
    path: "/api/reports/:id",
    summary: "A shared report by its share token, exactly as it was frozen; needs no credential",
    params: z.strictObject({ id: objectId.meta({ description: "The share token" }) }),
    output: sharedReport,
    scope: null,
    role: "viewer",
  },
});
