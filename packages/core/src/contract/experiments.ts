import { z } from "zod";
import {
  DURATION_DAYS,
  endReasons,
  experimentStatuses,
  primaryMetrics,
  TRAFFIC_PCT,
} from "../experiments/experiment.ts";
import { arms } from "../steering.ts";
import { isoTime } from "./fields/iso-time.ts";
import { idParams, objectId } from "./fields/object-id.ts";
import { pageLimit } from "./fields/paging.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

const estimate = z
  .strictObject({
    value: z.number(),
    low: z.number().nullable(),
    high: z.number().nullable(),
  })
  .meta({
    id: "Estimate",
    description: "A value and its 95 % interval; null bounds: too little data for an interval",
  });

const armResults = z
  .strictObject({
    calls: z.int(),
    errors: z.int().meta({ description: "Failed calls; a client disconnect is not a failure" }),
    sessions: z
      .int()
      .meta({ description: "Sessions that these calls belong to; a call without one is its own" }),
    unpriced_calls: z
      .int()
      .meta({ description: "Calls whose cost is unknown; not included in any cost here" }),
    cost_microcents: z.int(),
    cost_per_call_microcents: estimate.nullable().meta({
      description: "All known costs, over the calls of known cost that did not fail",
    }),
    latency_p50_ms: estimate.nullable(),
    latency_p95_ms: estimate.nullable(),
    error_rate: estimate.nullable().meta({ description: "A share, 0 to 1" }),
    outcomes: z.int().meta({ description: "Outcomes of the arm's sessions that report success or failure" }),
    quality_score: estimate.nullable().meta({ description: "The share of them that succeeded, 0 to 1" }),
  })
  .meta({
    id: "ExperimentArm",
    description: "These intervals are valid for a single look, not for repeated ones",
  });

export const experimentResults = z
  .strictObject({
    unit: z.enum(["microcents", "ms", "share"]).meta({ description: "Unit of the primary metric" }),
    control: armResults,
    treatment: armResults,
    difference: estimate.nullable().meta({
      description: "Treatment minus control of the primary metric; its interval is valid at every look",
    }),
    difference_pct: z.number().nullable().meta({ description: "Percent of the control's value" }),
    test: z.strictObject({
      statistic: z.string().meta({ description: "What is compared" }),
      threshold_ms: z.int().nullable().meta({
        description:
          "For percentiles: the control's, fixed after its first calls; the shares of calls above it are compared",
      }),
      control_samples: z.int(),
      treatment_samples: z.int(),
      difference: estimate.nullable(),
      likelihood_ratio: z.number().nullable().meta({ description: "The largest so far" }),
      p_value: z.number().nullable().meta({ description: "Valid at every look" }),
      alpha: z.number(),
    }),
    error_guard: z.strictObject({
      passes: z.boolean().meta({ description: "Required for automatic promotion" }),
      difference: z.number().nullable().meta({ description: "Error rates, treatment minus control" }),
      upper_bound: z.number().nullable().meta({ description: "One-sided, 95 %" }),
      message: z.string(),
    }),
    is_significant: z.boolean(),
    winner: z.enum(arms).nullable(),
    message: z.string(),
    computed_at: isoTime,
  })
  .meta({ id: "ExperimentResults" });

export const experimentResource = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    agent_id: z.string(),
    control_model: z.string().nullable().meta({
      description: "The model that the agent used when it began; null: no calls in the seven days before",
    }),
    treatment_model: z.string(),
    traffic_pct: z.int(),
    status: z.enum(experimentStatuses),
    primary_metric: z.enum(primaryMetrics),
    max_duration_days: z.int(),
    auto_promote: z.boolean(),
    created_at: isoTime,
    ends_at: isoTime,
    ended_at: isoTime.nullable(),
    end_reason: z.enum(endReasons).nullable(),
    promoted: z.boolean().meta({ description: "The treatment was made the agent's model" }),
    control_samples: z.int(),
    treatment_samples: z.int(),
    is_significant: z.boolean(),
    winner: z.enum(arms).nullable(),
    results: experimentResults.meta({ description: "Current results; after the end, the final ones" }),
  })
  .meta({ id: "Experiment" });

export const experimentOperations = declareOperations({
  "experiments.create": {
    method: "POST",
    path: "/api/experiments",
    summary: "Send a share of an agent's calls to another model and compare",
    body: z.strictObject({
      agent_id: objectId,
      name: z.string().trim().min(1).max(100),
      treatment_model: z.string().min(1).max(256),
      traffic_pct: z.int().min(TRAFFIC_PCT.min).max(TRAFFIC_PCT.max).default(TRAFFIC_PCT.default),
      primary_metric: z.enum(primaryMetrics).default("cost_per_call"),
      max_duration_days: z.int().min(DURATION_DAYS.min).max(DURATION_DAYS.max).default(DURATION_DAYS.default),
      auto_promote: z.boolean().default(false),
    }),
    output: experimentResource,
    status: 201,
    ...writeAccess,
  },
  "experiments.get": {
    method: "GET",
    path: "/api/experiments/:id",
    summary: "One experiment and its results",
    params: idParams,
    output: experimentResource,
    ...readAccess,
  },
  "experiments.list": {
    method: "GET",
    path: "/api/experiments",
    summary: "Experiments and their results, newest first",
    query: z.strictObject({
      agent_id: objectId.optional(),
      status: z.enum(experimentStatuses).optional(),
      limit: pageLimit(200),
      offset: z.int().min(0).default(0),
    }),
    output: z.strictObject({ experiments: z.array(experimentResource) }),
    ...readAccess,
  },
  "experiments.pause": {
    method: "POST",
    path: "/api/experiments/:id/pause",
    summary: "Send all calls to the agent's own model for now; the end time does not change",
    params: idParams,
    output: experimentResource,
    ...writeAccess,
  },
  "experiments.resume": {
    method: "POST",
    path: "/api/experiments/:id/resume",
    summary: "Resume a paused experiment",
    params: idParams,
    output: experimentResource,
    ...writeAccess,
  },
  "experiments.stop": {
    method: "POST",
    path: "/api/experiments/:id/stop",
    summary: "End an experiment and keep its results; a winning treatment can become the agent's model",
    params: idParams,
    body: z.strictObject({
      promote_winner: z.boolean().default(false),
    }),
    output: z.strictObject({
      status: z.enum(["completed", "cancelled"]).meta({ description: "Cancelled: an arm had no calls" }),
      promoted: z.boolean(),
      message: z.string(),
      experiment: experimentResource,
    }),
    ...writeAccess,
  },
});
