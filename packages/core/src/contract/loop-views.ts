import { z } from "zod";
import { ineligibleReasons } from "../verification/estimator-eligibility.ts";
import { evidenceModes } from "../verification/vocabulary.ts";
import { envelope } from "./fields/envelope.ts";
import { pageLimit } from "./fields/paging.ts";
import { periodResource } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";

export const tones = ["good", "neutral", "bad", "unknown"] as const;

export const headlineDays = [7, 30, 90] as const;

const figure = z
  .strictObject({
    amount: envelope.meta({ description: "Micro-dollars: $1 is 1,000,000" }),
    basis: z.string().meta({ description: "What the amount is, in a sentence" }),
    provenance: z
      .strictObject({
        source: z.string().meta({ description: "What it was computed from" }),
        calls: envelope.meta({ description: "Calls that it covers" }),
        left_out_calls: envelope.meta({ description: "Calls whose cost or saving is unknown" }),
      })
      .meta({ id: "Provenance" }),
    tone: z.enum(tones),
  })
  .meta({ id: "HeadlineFigure" });

export const headlineResource = z
  .strictObject({
    period: periodResource,
    measured_spend: figure,
    attributed_savings: figure,
    verified_savings: figure.meta({
      description: "The part of the attributed savings that verdicts support; already included in them",
    }),
  })
  .meta({ id: "Headline" });

const agentReadiness = z
  .strictObject({
    agent_id: z.string(),
    agent_name: z.string(),
    event_coverage: z.strictObject({
      calls: envelope.meta({ description: "On the last 7 UTC days" }),
      with_session: envelope.meta({ description: "Share of calls, 0 to 1" }),
      with_config_version: envelope,
    }),
    label_lag: z
      .strictObject({ outcomes: envelope, median_ms: envelope, p90_ms: envelope })
      .meta({ description: "From the last call of a session to its outcome" }),
    join_rate: z.strictObject({
      sessions: envelope.meta({
        description: "Those in which the agent's first call was made on the UTC days of the period",
      }),
      with_outcome: envelope.meta({ description: "Share of sessions, 0 to 1" }),
    }),
    volume_versus_power: z.strictObject({
      calls_per_day: envelope,
      pairs_per_day: envelope.meta({
        description: "At the share that the default policy samples, without controls",
      }),
      pairs_needed: envelope.meta({ description: "For a power of 0.8, if half of the pairs tie" }),
      days_to_verdict: envelope.meta({ description: "null: there are no calls to sample" }),
    }),
    estimators: z.array(
      z.strictObject({
        evidence_mode: z.enum(evidenceModes),
        is_eligible: z.boolean(),
        reason: z.enum(ineligibleReasons).nullable().meta({ description: "Why not" }),
      }),
    ),
    blocked_proposals: z.array(z.strictObject({ reason: z.string(), proposals: envelope })),
  })
  .meta({ id: "SignalReadiness" });

export const loopViewOperations = declareOperations({
  "loop_views.readiness": {
    method: "GET",
    path: "/api/loop-views/readiness",
    summary: "What a verification could find out from each agent's traffic, busiest agent first",
    query: z.strictObject({
      limit: pageLimit(500, 200, "Agents of a page"),
      offset: z.int().min(0).max(1_000_000).default(0),
    }),
    output: z.strictObject({
      period: periodResource,
      policy: z.strictObject({
        name: z.string(),
        margin: envelope,
        sample_share: envelope,
        max_pairs: envelope,
      }),
      agent_count: envelope.meta({ description: "All agents, shown or not" }),
      agents: z.array(agentReadiness),
    }),
    ...readAccess,
  },
  "loop_views.headline": {
    method: "GET",
    path: "/api/loop-views/headline",
    summary: "Measured spend, attributed savings and verified savings; behind a feature flag",
    query: z.strictObject({
      days: z
        .literal(headlineDays)
        .default(30)
        .meta({ description: "7, 30 or 90; clamped to the tier's history" }),
    }),
    output: headlineResource,
    ...readAccess,
  },
});
