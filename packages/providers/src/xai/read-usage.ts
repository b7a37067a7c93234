import { divideHalfEven, microcents } from "@tollgate/core/money/money";
import { type Usage, usageOf } from "@tollgate/core/money/usage";
import { countOf, type JsonObject, jsonObjectOf } from "@tollgate/core/wire/json-fields";
import type { ReportedCost } from "../openai/meter.ts";
import { splitInput, splitOutput } from "../openai/read-usage.ts";

/**
 * xAI's chat format excludes reasoning from `completion_tokens`, which alone would bill a fraction of the output.
 * `total_tokens` minus the prompt is right under either convention.
 */
export function readChatUsage(usage: unknown): Usage | null {
  const fields = jsonObjectOf(usage);
  const prompt = countOf(fields?.prompt_tokens);
  const completion = countOf(fields?.completion_tokens);
  if (prompt === undefined || completion === undefined) return null;
  const details = jsonObjectOf(fields?.completion_tokens_details);
  // Without a total, use the convention that xAI is known to follow.
  const total =
    countOf(fields?.total_tokens) ?? prompt + completion + (countOf(details?.reasoning_tokens) ?? 0);
  const output = Math.max(completion, total - prompt);
  return usageOf({ ...splitInput(prompt, fields?.prompt_tokens_details), ...splitOutput(output, details) });
}

const TICKS_PER_MICROCENT = 1000n;

/** The exact bill, including tools and discounts: 10¹⁰ ticks are a dollar. null: not stated. */
export function readReportedCost(usage: unknown): ReportedCost | null {
  const fields = jsonObjectOf(usage);
  const stated = fields?.cost_in_usd_ticks;
  if (stated === undefined || stated === null) return null;
  const ticks = countOf(stated);
  return {
    amount:
      ticks === undefined ? null : microcents(Number(divideHalfEven(BigInt(ticks), TICKS_PER_MICROCENT))),
    fees: countFees(fields),
  };
}

function countFees(usage: JsonObject | undefined): number {
  let tools = 0;
  for (const uses of Object.values(jsonObjectOf(usage?.server_side_tool_usage_details) ?? {})) {
    tools += countOf(uses) ?? 0;
  }
  return (
    (countOf(usage?.num_sources_used) ?? 0) + Math.max(countOf(usage?.num_server_side_tools_used) ?? 0, tools)
  );
}

/** The final context, reported beside the sum over all iterations: the input of the last and largest one. */
export function readLargestPrompt(usage: unknown): number | null {
  return countOf(jsonObjectOf(jsonObjectOf(usage)?.context_details)?.input_tokens) ?? null;
}
