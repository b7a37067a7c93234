import { z } from "zod";
import { eventStatuses, pairKinds, taskCategories } from "../event.ts";
import {
  evidenceModes,
  requestEndReasons,
  requestStatuses,
  trialStatuses,
  verdictNames,
} from "../verification/vocabulary.ts";
import { envelope } from "./fields/envelope.ts";
import { isoTime } from "./fields/iso-time.ts";
import { callerId, idParams, objectId } from "./fields/object-id.ts";
import { cursorInput, nextCursor, pageLimit } from "./fields/paging.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

const model = z.string().min(1).max(256);

/** The settings of a policy. */
const policyFields = {
  name: z.string().trim().min(1).max(100),
  margin: z
    .number()
    .min(0.01)
    .max(0.5)
    .refine(isWholeHundredths, "must be a whole number of hundredths")
    .meta({ description: "How far below 0 the mean score may be while quality still holds: 0.01 to 0.5" }),
  max_pairs: z.int().min(50).max(10_000).meta({
    description:
      "If there is no verdict after this many pairs, the result is inconclusive and nothing is charged",
  }),
  max_spend_microcents: z
    .int()
    .min(100_000)
    .max(100_000_000_000)
    .meta({ description: "Maximum total cost of shadow and judge calls; $1 is 10,000,000" }),
  share_pct: z.int().min(1).max(100).meta({ description: "Percent of the eligible calls that are sampled" }),
  judge_model: model.nullable().meta({
    description: "Null: the strongest model of the production model's provider that is not being compared",
  }),
  evidence_mode: z.enum(evidenceModes),
};

export const verificationPolicy = z
  .strictObject({
    id: z.string(),
    is_built_in: z.boolean().meta({ description: "Cannot be changed or deleted" }),
    is_default: z.boolean(),
    ...policyFields,
    created_at: isoTime.nullable().meta({ description: "Null: built in" }),
    updated_at: isoTime.nullable(),
  })
  .meta({ id: "VerificationPolicy" });

/** Two measurements of the same calls, and whether the candidate's is acceptable. */
const guard = z.strictObject({
  passes: z.boolean().nullable().meta({ description: "Null: not measured" }),
  production: envelope,
  candidate: envelope,
});

/** What a verdict says, in numbers. */
const resultFields = {
  pairs: z
    .strictObject({
      compared: envelope,
      values: envelope.meta({
        description: "What the test counts: each session, and each pair without a session",
      }),
      wins: envelope,
      ties: envelope,
      losses: envelope,
      controls: envelope.meta({ description: "Pairs of two answers of the production model" }),
    })
    .meta({ id: "PairCounts" }),
  non_inferiority: z
    .strictObject({
      is_shown: z.boolean(),
      margin: envelope,
      alpha: envelope.meta({ description: "One-sided" }),
      mean_score: envelope.meta({
        description:
          "-1 clearly worse, 0 as good, 1 clearly better; each bound is valid at all times simultaneously",
      }),
      tango_lower: envelope.meta({
        description: "Tango's bound, valid for a single look; it decides nothing",
      }),
      judge_bias: envelope.meta({ description: "The mean score of the controls" }),
    })
    .meta({ id: "NonInferiority" }),
  guards: z.strictObject({ error_rate: guard, latency_p95_ms: guard }).meta({ id: "VerdictGuards" }),
  savings: z
    .strictObject({
      per_call_microcents: envelope,
      per_month_microcents: envelope.meta({
        description:
          "At the call volume of the 30 days before the verdict, or of fewer observed days × 30 ÷ days",
      }),
      ratio: envelope.meta({ description: "The share of production's cost that is saved" }),
      priced_pairs: envelope,
      unpriced_pairs: envelope,
    })
    .meta({
      id: "VerifiedSavings",
      description: "Of pairs that both models answered. Negative: the candidate costs more",
    }),
};

export const verdictResult = z.strictObject(resultFields);

export const verdictResource = z
  .strictObject({
    id: z.string(),
    request_id: z.string(),
    trial_id: z.string(),
    agent_id: z
      .string()
      .nullable()
      .meta({ description: "Null: every agent that called the production model" }),
    prod_model: z.string(),
    candidate_model: z.string(),
    task_category: z
      .enum(taskCategories)
      .nullable()
      .meta({ description: "Null: all categories together, the verdict that decides" }),
    verdict: z.enum(verdictNames),
    freshness: z
      .enum(["current", "expiring", "expired", "invalidated"])
      .meta({ description: "Expiring: within seven days. Invalidated: a model has changed since" }),
    invalid_reason: z.string().nullable(),
    evidence_mode: z.enum(evidenceModes),
    judge_model: z.string().nullable(),
    ...resultFields,
    concluded_at: isoTime,
    expires_at: isoTime,
  })
  .meta({ id: "Verdict" });

export const trialResource = z
  .strictObject({
    id: z.string(),
    request_id: z.string(),
    status: z.enum(trialStatuses),
    void_reason: z.string().nullable(),
    verdict_id: z.string().nullable().meta({ description: "Only for a concluded trial" }),
    regime: z.string(),
    primary_metric: z.string(),
    method: z.string(),
    evidence_mode: z.enum(evidenceModes),
    agent_id: z.string().nullable(),
    prod_model: z.string(),
    candidate_model: z.string(),
    judge_model: z.string().nullable(),
    margin: envelope,
    alpha: envelope,
    power: envelope,
    sample_plan: z
      .strictObject({
        min_pairs: envelope,
        max_pairs: envelope,
        max_days: envelope,
        max_spend_microcents: envelope,
        share_pct: envelope,
        control_every: envelope,
      })
      .meta({ id: "SamplePlan" }),
    plan: z.string().meta({ description: "The complete plan as canonical JSON (RFC 8785)" }),
    plan_hash: z.string().meta({ description: "SHA-256 of `plan`, computed when the trial was registered" }),
    registered_at: isoTime,
    ended_at: isoTime.nullable(),
  })
  .meta({ id: "Trial" });

const handleFields = {
  id: z.string(),
  trial_id: z.string(),
  poll: z.string().meta({ description: "The path that shows its state and, at the end, the verdict" }),
};

export const verificationRequest = z
  .strictObject({
    ...handleFields,
    status: z.enum(requestStatuses),
    end_reason: z.enum(requestEndReasons).nullable(),
    agent_id: z.string().nullable(),
    prod_model: z.string(),
    candidate_model: z.string(),
    judge_model: z.string().nullable(),
    policy_id: z.string(),
    evidence_mode: z.enum(evidenceModes),
    progress: z
      .strictObject({
        pairs: z.int(),
        max_pairs: z.int(),
        controls: z.int(),
        spent_microcents: z.int().meta({ description: "Cost of all shadow and judge calls, graded or not" }),
        unpriced_calls: z.int().nullable().meta({
          description:
            "Those of unknown cost, which spent_microcents leaves out; null: an earlier version did not count them",
        }),
        max_spend_microcents: z.int(),
        days_left: z.number(),
        expected_end: isoTime.nullable().meta({
          description:
            "When the last pair is expected at the current rate; a verdict may come earlier. Null: unknown",
        }),
        score: envelope.meta({ description: "The mean score so far, with its confidence sequence" }),
      })
      .meta({ id: "VerificationProgress" }),
    verdict: verdictResource.nullable(),
    created_at: isoTime,
    expires_at: isoTime.meta({
      description: "If there is no verdict by then, it expires and nothing is charged",
    }),
    ended_at: isoTime.nullable(),
  })
  .meta({ id: "VerificationRequest" });

const capturedCall = z.strictObject({
  status: z.enum(eventStatuses).default("success"),
  latency_ms: z.int().min(0).max(86_400_000).nullable().default(null),
  cost_microcents: z.int().min(0).max(100_000_000_000).nullable().default(null),
  served_model: model.nullable().default(null),
});

const capturedPair = z.strictObject({
  id: callerId.meta({ description: "Your own id: a pair that is sent twice counts once" }),
  kind: z.enum(pairKinds).default("candidate"),
  score: z.number().min(-1).max(1).meta({
    description: "The candidate compared with production: -1 clearly worse, 0 as good, 1 clearly better",
  }),
  category: z.enum(taskCategories).default("open_ended"),
  session_id: callerId.optional(),
  production: capturedCall.prefault({}),
  candidate: capturedCall.prefault({}),
});

export const verificationOperations = declareOperations({
  "verify.requests.create": {
    method: "POST",
    path: "/api/verify/requests",
    summary: "Verify whether quality holds if an agent switches to another model; the verdict comes later",
    body: z.strictObject({
      prod_model: model.meta({ description: "The model that answers the calls now" }),
      candidate_model: model.meta({ description: "The model that may replace it" }),
      agent_id: objectId.optional().meta({ description: "Omitted: every agent that calls `prod_model`" }),
      policy_id: objectId.optional().meta({ description: "Omitted: the default policy, `quick`" }),
    }),
    output: z.strictObject({ ...handleFields, status: z.enum(["queued", "collecting"]) }),
    status: 202,
    ...writeAccess,
    refusals: [402],
  },
  "verify.requests.get": {
    method: "GET",
    path: "/api/verify/requests/:id",
    summary: "State, progress and, at the end, the verdict of a verification",
    params: idParams,
    output: verificationRequest,
    ...readAccess,
  },
  "verify.requests.list": {
    method: "GET",
    path: "/api/verify/requests",
    summary: "Verifications, newest first",
    query: z.strictObject({
      agent_id: objectId.optional(),
      status: z.enum(requestStatuses).optional(),
      limit: pageLimit(200),
      cursor: cursorInput.optional(),
    }),
    output: z.strictObject({ requests: z.array(verificationRequest), next_cursor: nextCursor }),
    ...readAccess,
  },
  "verify.requests.cancel": {
    method: "DELETE",
    path: "/api/verify/requests/:id",
    summary: "Cancel a verification without a verdict; nothing is charged. One that has ended is not changed",
    params: idParams,
    output: verificationRequest,
    ...writeAccess,
  },
  "verify.requests.add_pairs": {
    method: "POST",
    path: "/api/verify/requests/:id/pairs",
    summary: "Add pairs that you graded yourself to a verification of captured evidence",
    params: idParams,
    body: z.strictObject({ pairs: z.array(capturedPair).min(1).max(1000) }),
    output: z.strictObject({
      added: z.int(),
      known: z.int().meta({ description: "Pairs that had been sent before; each counts once" }),
      uncounted: z
        .int()
        .meta({ description: "Added pairs that do not count because they came after the verdict" }),
      status: z.enum(requestStatuses),
    }),
    ...writeAccess,
  },
  "verify.policies.list": {
    method: "GET",
    path: "/api/verify/policies",
    summary: "Policies for verifications: the built-in ones and the organization's own",
    output: z.strictObject({ policies: z.array(verificationPolicy) }),
    ...readAccess,
  },
  "verify.policies.create": {
    method: "POST",
    path: "/api/verify/policies",
    summary: "Create a policy; omitted fields have the values of `quick`",
    body: z.strictObject({
      ...policyFields,
      margin: policyFields.margin.optional(),
      max_pairs: policyFields.max_pairs.optional(),
      max_spend_microcents: policyFields.max_spend_microcents.optional(),
      share_pct: policyFields.share_pct.optional(),
      judge_model: policyFields.judge_model.optional(),
      evidence_mode: policyFields.evidence_mode.optional(),
    }),
    output: verificationPolicy,
    status: 201,
    ...writeAccess,
  },
  "verify.policies.update": {
    method: "PATCH",
    path: "/api/verify/policies/:id",
    summary: "Change a policy; running verifications keep the settings they were registered with",
    params: idParams,
    body: z.strictObject(policyFields).partial(),
    output: verificationPolicy,
    ...writeAccess,
    isOrganizationWide: true,
  },
  "verify.policies.delete": {
    method: "DELETE",
    path: "/api/verify/policies/:id",
    summary: "Delete a policy; running verifications continue",
    params: idParams,
    ...writeAccess,
    isOrganizationWide: true,
  },
  "verify.balance.get": {
    method: "GET",
    path: "/api/verify/balance",
    summary: "How many verifications are left",
    output: z.strictObject({
      balance: z.int().meta({ description: "Each verdict lowers it by one; nothing else does" }),
      reserved: z.int().meta({ description: "The part of it that running verifications may use" }),
      available: z.int().meta({ description: "How many more can be started" }),
      granted: z.int(),
      charged: z.int(),
    }),
    ...readAccess,
  },
  "loop_views.verdicts": {
    method: "GET",
    path: "/api/loop-views/verdicts",
    summary: "Verdicts on model switches, newest first",
    query: z.strictObject({ limit: pageLimit(500, 200) }),
    output: z.strictObject({ verdicts: z.array(verdictResource) }),
    ...readAccess,
  },
  "loop_views.trials": {
    method: "GET",
    path: "/api/loop-views/trials",
    summary: "Trials as they were registered before their first pair, newest first",
    query: z.strictObject({ limit: pageLimit(500, 200) }),
    output: z.strictObject({ trials: z.array(trialResource) }),
    ...readAccess,
  },
});

function isWholeHundredths(value: number): boolean {
  return Math.abs(value * 100 - Math.round(value * 100)) < 1e-9;
}
