import { divideHalfEven, type Microcents, microcents } from "@tollgate/core/money/money";
import { type Usage, usageOf } from "@tollgate/core/money/usage";
import { countOf, jsonObjectOf } from "@tollgate/core/wire/json-fields";
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

/** The exact bill, including tools and discounts: 10¹⁰ ticks are a dollar. */
export function readReportedCost(usage: unknown): Microcents | null {
  const ticks = countOf(jsonObjectOf(usage)?.cost_in_usd_ticks);
  return ticks === undefined ? null : microcents(Number(divideHalfEven(BigInt(ticks), TICKS_PER_MICROCENT)));
}

/** The final context, reported beside the sum over all iterations: the input of the last and largest one. */
export function readLargestPrompt(usage: unknown): number | null {
  return countOf(jsonObjectOf(jsonObjectOf(usage)?.context_details)?.input_tokens) ?? null;
}
