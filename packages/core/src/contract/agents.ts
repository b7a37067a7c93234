import { z } from "zod";
import { agentStatuses } from "../agents/status.ts";
import { taskComplexities } from "../models/route-model.ts";
import { costSums, unpricedCalls } from "./fields/cost-sums.ts";
import { isoTime } from "./fields/iso-time.ts";
import { anyJsonObject, jsonObject } from "./fields/json-object.ts";
import { idParams } from "./fields/object-id.ts";
import { cursorInput, nextCursor, pageLimit } from "./fields/paging.ts";
import { periodResource, windowQuery } from "./fields/period.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

export const agentResource = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    agent_key: z.string().meta({ description: "The name that calls use for the agent (`X-Agent-ID`)" }),
    organization_id: z.string(),
    created_at: isoTime,
    updated_at: isoTime,
    metadata: anyJsonObject,
    status: z.enum(agentStatuses),
    paused: z.boolean().meta({ description: "The gateway refuses its calls until it is resumed" }),
    breaker_enabled: z.boolean().meta({
      description: "A model switch that makes its calls significantly worse within 24 hours is undone",
    }),
    category: z.string().nullable().meta({ description: "`metadata.category`" }),
    last_call_at: isoTime.nullable(),
  })
  .meta({ id: "Agent" });

export const agentOperations = declareOperations({
  "agents.get": {
    method: "GET",
    path: "/api/agents/:id",
    summary: "One agent",
    params: idParams,
    output: agentResource,
    ...readAccess,
  },
  "agents.list": {
    method: "GET",
    path: "/api/agents",
    summary: "Agents, ordered by key",
    query: z.strictObject({
      status: z.enum(agentStatuses).optional(),
      category: z.string().min(1).max(256).optional(),
      search: z.string().trim().min(1).max(256).optional().meta({
        description: "Part of the name or key, in upper or lower case",
      }),
      breaker_enabled: z.boolean().optional(),
      limit: pageLimit(500, 200),
      cursor: cursorInput.optional(),
    }),
    output: z.strictObject({
      agents: z
        .array(agentResource)
        .meta({ description: "May be fewer than `limit` if their metadata is large" }),
      total: z.int().meta({ description: "Number of all matching agents, listed or not" }),
      next_cursor: nextCursor,
    }),
    ...readAccess,
  },
  "agents.metrics": {
    method: "GET",
    path: "/api/agents/:id/metrics",
    summary: "An agent's calls, tokens and cost",
    params: idParams,
    query: z.strictObject({
      ...windowQuery,
      group_by: z.enum(["day", "week", "month"]).default("day").meta({
        description: "The label of a group is its first day: a Monday, or the first of a month",
      }),
    }),
    output: z.strictObject({
      agent_id: z.string(),
      period: periodResource,
      totals: z.strictObject({
        call_count: z.int(),
        input_tokens: z.int(),
        output_tokens: z.int(),
        cost_microcents: z.int(),
        unpriced_calls: unpricedCalls,
      }),
      by_model: z.array(z.strictObject({ model: z.string(), ...costSums })),
      by_day: z.array(z.strictObject({ date: z.string(), ...costSums })),
    }),
    ...readAccess,
  },
  "agents.pause": {
    method: "POST",
    path: "/api/agents/:id/pause",
    summary: "Refuse an agent's calls until it is resumed; pausing it again changes nothing",
    params: idParams,
    output: agentResource,
    ...writeAccess,
  },
  "agents.resume": {
    method: "POST",
    path: "/api/agents/:id/resume",
    summary: "Resume a paused agent",
    params: idParams,
    output: agentResource,
    ...writeAccess,
  },
  "agents.route": {
    method: "GET",
    path: "/api/agents/:id/route",
    summary: "The model for an agent's task, by its difficulty",
    params: idParams,
    query: z.strictObject({
      task_complexity: z.enum(taskComplexities),
      current_model: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .meta({ description: "Omitted: the model that the agent has used most" }),
    }),
    output: z.strictObject({
      recommended_model: z.string(),
      provider: z.string(),
      current_model: z.string().nullable().meta({ description: "Null: the agent has no calls yet" }),
      task_complexity: z.enum(taskComplexities),
      estimated_savings_pct: z.number().nullable().meta({
        description: "Compared with the current model; negative: more expensive; null: no price to compare",
      }),
      confidence: z.number().meta({ description: "0 to 1" }),
      reason: z.string(),
    }),
    ...readAccess,
  },
  "agents.update": {
    method: "PATCH",
    path: "/api/agents/:id",
    summary: "Rename, describe or archive an agent, or set its breaker",
    params: idParams,
    body: z.strictObject({
      name: z.string().trim().min(1).max(256).optional(),
      metadata: jsonObject
        .optional()
        .meta({ description: "Replaces the metadata; `category` is what agents are filtered by" }),
      archived: z.boolean().optional(),
      breaker_enabled: z
        .boolean()
        .optional()
        .meta({ description: "Whether a model switch that makes calls worse is undone; initially true" }),
    }),
    output: agentResource,
    ...writeAccess,
  },
});
