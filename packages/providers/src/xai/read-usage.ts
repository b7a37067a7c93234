import { divideHalfEven, microcents } from "@tollgate/core/money/money";
import { type Usage, usageOf } from "@tollgate/core/money/usage";
import { countOf, type JsonObject, jsonObjectOf } from "@tollgate/core/wire/json-fields";
import type { ReportedCost } from "../openai/meter.ts";
import { isNoCount, splitInput, splitOutput } from "../openai/read-usage.ts";

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

/** Tools whose calls are priced themselves (`count-tools.ts`). The chat format has none. */
const pricedTools: ReadonlySet<string> = new Set(
  ["web_search", "x_search", "code_interpreter", "file_search"].map(tool => `${tool}_calls`),
);
const noTools: ReadonlySet<string> = new Set();

export function readChatCost(usage: unknown): ReportedCost | null {
  return readReportedCost(usage, noTools);
}

/** It is not documented whether the totals of a call with several answers (`n`) count all of them: only an amount is exact. */
export function readCostOfSeveral(usage: unknown): ReportedCost | null {
  return readChatCost(usage) ?? (readChatUsage(usage) === null ? null : { amount: null, fees: 0 });
}

export function readResponsesCost(usage: unknown): ReportedCost | null {
  return readReportedCost(usage, pricedTools);
}

/** The exact bill, including tools and discounts: 10¹⁰ ticks are a dollar. null: not stated, and no fee is missing. */
function readReportedCost(usage: unknown, priced: ReadonlySet<string>): ReportedCost | null {
  const fields = jsonObjectOf(usage);
  const stated = fields?.cost_in_usd_ticks ?? null;
  if (stated === null) return hasOtherFees(fields, priced) ? { amount: null, fees: countFees(fields) } : null;
  const ticks = countOf(stated);
  return {
    amount:
      ticks === undefined ? null : microcents(Number(divideHalfEven(BigInt(ticks), TICKS_PER_MICROCENT))),
    fees: countFees(fields),
  };
}

/** A tool or a source was used whose fee no other field has. */
function hasOtherFees(usage: JsonObject | undefined, priced: ReadonlySet<string>): boolean {
  const isUsed = (uses: unknown) => isNoCount(uses) || (countOf(uses) ?? 0) > 0;
  const tools = Object.entries(jsonObjectOf(usage?.server_side_tool_usage_details) ?? {});
  return (
    isUsed(usage?.num_sources_used) ||
    tools.some(([tool, uses]) => (priced.has(tool) ? isNoCount(uses) : isUsed(uses)))
  );
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
