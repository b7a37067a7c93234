import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { AnswerPlan } from "../plan-answer.ts";
import { xaiCostTicks } from "./xai-cost.ts";

/** `completion_tokens` EXCLUDES reasoning: only `total_tokens` has it. Every naive meter gets this wrong. */
export function xaiChatUsage(model: string, plans: readonly AnswerPlan[]): JsonObject {
  const prompt = plans[0]?.inputTokens ?? 0;
  const reasoning = plans.reduce((sum, plan) => sum + plan.reasoningTokens, 0);
  const completion = plans.reduce((sum, plan) => sum + plan.visibleTokens, 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion + reasoning,
    prompt_tokens_details: { text_tokens: prompt, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
    cost_in_usd_ticks: xaiCostTicks(model, { input: prompt, cached: 0, output: completion + reasoning }),
  };
}

/** In the Responses API it is the opposite: `output_tokens` includes reasoning. */
export function xaiResponsesUsage(model: string, plan: AnswerPlan): JsonObject {
  const output = plan.visibleTokens + plan.reasoningTokens;
  return {
    input_tokens: plan.inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: plan.reasoningTokens },
    total_tokens: plan.inputTokens + output,
    num_sources_used: 0,
    num_server_side_tools_used: 0,
    cost_in_usd_ticks: xaiCostTicks(model, { input: plan.inputTokens, cached: 0, output }),
  };
}
