import { modelOperations } from "@tollgate/core/contract/models";
import { z } from "zod";
import { count, listPrice, saving } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { modelName } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

const { query, output } = modelOperations["models.compare"];

export const compareModels = tool({
  name: "svc_compare_models",
  domain: "Optimization",
  title: "Compare models",
  description:
    "Models side by side: price, tier, context window, caching and batch support, and the saving against a current model. Works without any usage data. Not for advice about one agent: svc_route_model and svc_get_optimization_recommendations (Lite tier and above) use its calls.",
  input: z.strictObject({
    current_model: modelName("The model to compare with").optional(),
    tier: query.shape.tier.meta({ description: "Only models of this tier" }),
    provider: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: "Only this provider: openai, anthropic, google or xai" }),
  }),
  output,
  annotations: reads,
  run: (call, input) => call("models.compare", input),
  render({ models, model_count, omitted_count, current_model_info: current, compared_on }) {
    if (model_count === 0) return "No model in the catalogue matches.";
    return [
      `${count(model_count, "model")}${omitted_count > 0 ? `, ${omitted_count} of them not listed` : ""}. ${compared_on}`,
      ...(current === null ? [] : [`Current: ${line(current)}`]),
      ...listLines(models, line, 15),
    ].join("\n");
  },
});

function line(model: z.output<typeof output>["models"][number]): string {
  const compared = model.savings_vs_current_pct === null ? "" : `, ${saving(model.savings_vs_current_pct)}`;
  return `${quoted(model.model)} (${model.provider}, ${model.tier}): ${listPrice(model.input_cost_per_1m_cents)} input, ${listPrice(model.output_cost_per_1m_cents)} output per million tokens${compared}`;
}
