import { z } from "zod";
import { DURATION_DAYS, primaryMetrics, TRAFFIC_PCT } from "../../experiments/experiment.ts";
import { objectId } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { experimentResource } from "./resource.ts";

export const experimentsCreate = operation({
  id: "experiments.create",
  method: "POST",
  path: "/api/experiments",
  summary: "Send a share of an agent's calls to another model, and compare",
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
  scope: "write",
  role: "admin",
});
