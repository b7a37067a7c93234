import { z } from "zod";
import { modelTiers } from "../models/model-tier.ts";
import { providerIds } from "../provider-id.ts";
import { declareOperations, readAccess } from "./operation.ts";

const comparedModel = z.strictObject({
  model: z.string(),
  provider: z.enum(providerIds),
  tier: z.enum(modelTiers),
  input_cost_per_1m_cents: z.number(),
  output_cost_per_1m_cents: z.number(),
  context_window: z.int().nullable().meta({ description: "Tokens; null: not known" }),
  supports_batch: z.boolean(),
  supports_caching: z.boolean(),
  is_legacy: z.boolean().meta({ description: "The provider has replaced it or will soon retire it" }),
  savings_vs_current_pct: z
    .number()
    .nullable()
    .meta({ description: "Negative: more expensive; null: no current model was given" }),
});

export const modelOperations = declareOperations({
  "models.compare": {
    method: "GET",
    path: "/api/models/compare",
    summary: "Models of the price catalogue side by side, cheapest first",
    query: z.strictObject({
      current_model: z.string().min(1).max(256).optional(),
      tier: z.enum(modelTiers).optional(),
      provider: z.string().min(1).max(64).optional(),
    }),
    output: z.strictObject({
      models: z.array(comparedModel).meta({ description: "At most 50; models in use before legacy ones" }),
      model_count: z.int().meta({ description: "Number of all matching models" }),
      omitted_count: z.int().meta({ description: "Matching models that are not in the list" }),
      current_model_info: comparedModel.nullable(),
      compared_on: z.string().meta({ description: "How input and output price are combined into one" }),
    }),
    ...readAccess,
  },
  "models.prices": {
    method: "GET",
    path: "/api/models/prices",
    summary: "The catalogue's prices of some models, in one request",
    query: z.strictObject({
      models: z.string().min(1).max(8000).meta({ description: "Names separated by commas; at most 100" }),
    }),
    output: z.strictObject({
      models: z.array(
        z.strictObject({
          name: z.string().meta({ description: "As requested" }),
          price: comparedModel.nullable().meta({ description: "null: the catalogue has no price" }),
        }),
      ),
    }),
    ...readAccess,
  },
});
