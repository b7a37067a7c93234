import { addUsage, inputTokens, type Usage, usageOf } from "@tollgate/core/money/usage";
import { countOf, isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";

/**
 * Anthropic's counts, with each token in one kind. `input_tokens` excludes cache reads and writes, so nothing is
 * subtracted from it; `output_tokens` includes thinking, which is. null: not reported, or malformed; a guess would
 * be mistaken for a bill.
 */
export function readUsage(usage: JsonObject): Usage | null {
  const passes = iterations(usage);
  // The top level leaves out the summarizing pass. What it holds after a fallback differs (the last answer, or some
  // of each), so there the pass itself is believed. All other passes of this model are in it already.
  const isFallback = passes.some(isFallbackPass);
  const counted = passes.filter(pass => pass.type === "compaction" || (isFallback && isFallbackPass(pass)));
  let total = isFallback ? {} : readCounts(usage);
  for (const pass of counted) {
    const counts = readCounts(pass);
    if (total === null || counts === null) return null;
    total = addUsage(total, counts);
  }
  return total;
}

/** Whether the answer reports each pass separately. */
export function hasIterations(usage: JsonObject): boolean {
  return iterations(usage).length > 0;
}

/** Each call was followed by another pass. Used only where the content does not show the passes. */
export function readServerToolCalls({ server_tool_use: tools }: JsonObject): number {
  if (!isJsonObject(tools)) return 0;
  return (count(tools.web_search_requests) ?? 0) + (count(tools.web_fetch_requests) ?? 0);
}

/** The input of the longest pass, where there were several. */
export function readLongestPass(usage: JsonObject): number | null {
  const own = iterations(usage).filter(pass => pass.type !== "advisor_message");
  const inputs = own.flatMap(pass => readInput(pass) ?? []).map(inputTokens);
  return inputs.length < 2 ? null : Math.max(...inputs);
}

/**
 * What other models did, each at its own price and in no total: an advisor; and the model that was asked, where it had
 * begun to answer before another took over. One that declined before its first word is not billed. null as above.
 */
export function readOtherModels(usage: JsonObject): { model: string; usage: Usage }[] | null {
  const others: { model: string; usage: Usage }[] = [];
  const passes = iterations(usage);
  const isFallback = passes.some(isFallbackPass);
  for (const pass of passes) {
    const isAbandoned = isFallback && pass.type === "message" && pass.output_tokens !== 0;
    if (pass.type !== "advisor_message" && !isAbandoned) continue;
    const counts = readCounts(pass);
    if (counts === null || typeof pass.model !== "string") return null;
    others.push({ model: pass.model, usage: counts });
  }
  return others;
}

/** The model that took over, where one did: the message may still name the one that was asked. */
export function readFallbackModel(usage: JsonObject): string | null {
  const fallback = iterations(usage).findLast(isFallbackPass);
  return typeof fallback?.model === "string" ? fallback.model : null;
}

/** The input side alone: certain as soon as a stream begins, when the output is still provisional. */
export function readInput(usage: JsonObject): Usage | null {
  const input = count(usage.input_tokens);
  const cacheRead = optionalCount(usage.cache_read_input_tokens);
  const writes = readCacheWrites(usage);
  if (input === null || cacheRead === null || writes === null) return null;
  return usageOf({ input, cache_read: cacheRead, ...writes });
}

function readCounts(usage: JsonObject): Usage | null {
  const input = readInput(usage);
  const output = count(usage.output_tokens);
  const details = usage.output_tokens_details;
  const thinking = isJsonObject(details) ? optionalCount(details.thinking_tokens) : 0;
  const tools = usage.server_tool_use;
  const searches = isJsonObject(tools) ? optionalCount(tools.web_search_requests) : 0;
  if (input === null || output === null || thinking === null || searches === null) return null;
  // More thinking than output cannot be split; the total is what is billed.
  const reasoning = thinking <= output ? thinking : 0;
  return addUsage(input, usageOf({ output: output - reasoning, reasoning, web_searches: searches }));
}

/**
 * The split by lifetime is reported once, at the start; later writes have none. The total counts: the rest beyond
 * the one-hour part is priced as the ordinary five minutes.
 */
function readCacheWrites(usage: JsonObject): { cache_write: number; cache_write_1h: number } | null {
  const split = isJsonObject(usage.cache_creation) ? usage.cache_creation : {};
  const short = optionalCount(split.ephemeral_5m_input_tokens);
  const long = optionalCount(split.ephemeral_1h_input_tokens);
  if (short === null || long === null) return null;
  const total = usage.cache_creation_input_tokens;
  const written = isAbsent(total) ? short + long : count(total);
  if (written === null) return null;
  const oneHour = Math.min(long, written);
  return { cache_write: written - oneHour, cache_write_1h: oneHour };
}

function isFallbackPass(pass: JsonObject): boolean {
  return pass.type === "fallback_message";
}

function iterations(usage: JsonObject): JsonObject[] {
  return Array.isArray(usage.iterations) ? usage.iterations.filter(isJsonObject) : [];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function count(value: unknown): number | null {
  return countOf(value) ?? null;
}

/** Older models leave out the features that they lack: there absence is a known zero. */
function optionalCount(value: unknown): number | null {
  return isAbsent(value) ? 0 : count(value);
}
