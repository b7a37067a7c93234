import { z } from "zod";
import { optimizationTypes } from "../../suggestions/suggestion-types.ts";
import { isoTime } from "../fields/iso-time.ts";
import { anyJsonObject } from "../fields/json-object.ts";

export const optimizationResource = z
  .strictObject({
    id: z.string(),
    agent_id: z.string(),
    optimization_type: z.enum(optimizationTypes),
    payload: anyJsonObject.meta({
      description: "model_switch: `model`; token_guardrails: `max_output_tokens`; prompt_caching: nothing",
    }),
    source: z.string().meta({ description: "`suggestion`, or `experiment:<id>`" }),
    applied_by: z.string(),
    applied_at: isoTime,
    undone_at: isoTime.nullable().meta({ description: "Null: in force" }),
  })
  .meta({ id: "Optimization" });
