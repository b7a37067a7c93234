import { z } from "zod";
import { optimizationTypes } from "../suggestions/suggestion-types.ts";
import { isoTime } from "./fields/iso-time.ts";
import { anyJsonObject, jsonObject } from "./fields/json-object.ts";
import { idParams, objectId } from "./fields/object-id.ts";
import { pageLimit } from "./fields/paging.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

export const optimizationResource = z
  .strictObject({
    id: z.string(),
    agent_id: z.string(),
    optimization_type: z.enum(optimizationTypes),
    payload: anyJsonObject.meta({
      description: "model_switch: `model`; token_guardrails: `max_output_tokens`; prompt_caching: nothing",
    }),
    source: z.string().meta({ description: "`suggestion`, `experiment:<id>` or `verdict:<id>`" }),
    applied_by: z.string(),
    applied_at: isoTime,
    undone_at: isoTime.nullable().meta({ description: "Null: in force" }),
  })
  .meta({ id: "Optimization" });

/** What changes in force have saved, and what more is possible. */
export const optimizationSummary = z.strictObject({
  total_savings_cents: z.number().meta({ description: "Per month, added up as in `GET /api/suggestions`" }),
  suggestion_count: z.int(),
  suggestions_included: z
    .boolean()
    .meta({ description: "Whether the tier includes `GET /api/suggestions`, which lists them" }),
  top_suggestion: z.string().nullable().meta({ description: "The title of the suggestion that saves most" }),
  applied: z
    .array(
      z.strictObject({
        optimization_id: z.string(),
        agent_id: z.string(),
        type: z.enum(optimizationTypes),
        model: z.string().nullable().meta({ description: "The model that calls are switched to" }),
        applied_at: isoTime,
        calls_since: z.int().meta({
          description:
            "Calls that it changed, without failed ones; for output bounds and prompt caching, the agent's calls since then",
        }),
        saved_microcents: z.int().nullable().meta({
          description:
            "What those calls would have cost with the requested model, minus what they did cost; null: unknown",
        }),
      }),
    )
    .meta({ description: "Optimizations in force, newest first; at most 50" }),
});

export const optimizationOperations = declareOperations({
  "agents.optimizations.apply": {
    method: "POST",
    path: "/api/agents/:id/optimizations",
    summary: "Let the gateway apply a one-click suggestion; replaces an applied one of the same type",
    params: idParams,
    body: z.strictObject({
      optimization_type: z.string().min(1).max(64).meta({
        description:
          "model_switch, token_guardrails or prompt_caching; the agent must have a suggestion of this type",
      }),
      payload: jsonObject.optional().meta({ description: "Overrides what the suggestion would set" }),
    }),
    output: z.strictObject({
      applied: z.literal(true),
      message: z.string(),
      optimization: optimizationResource,
    }),
    ...writeAccess,
  },
  "agents.optimizations.list": {
    method: "GET",
    path: "/api/agents/:id/optimizations",
    summary: "Optimizations of an agent, newest first, including undone ones",
    params: idParams,
    query: z.strictObject({ limit: pageLimit(200) }),
    output: z.strictObject({ optimizations: z.array(optimizationResource) }),
    ...readAccess,
  },
  "agents.optimizations.undo": {
    method: "DELETE",
    path: "/api/agents/:id/optimizations/:optimization_id",
    summary: "Undo an optimization; undoing it again changes nothing",
    params: z.strictObject({ id: objectId, optimization_id: objectId }),
    output: z.strictObject({ undone: z.literal(true), optimization: optimizationResource }),
    ...writeAccess,
  },
  "optimizations.summary": {
    method: "GET",
    path: "/api/optimizations/summary",
    summary: "What optimizations in force have saved, and what suggestions could save",
    output: optimizationSummary,
    ...readAccess,
  },
});
