import { addUsage, inputTokens, type Usage, usageOf } from "@tollgate/core/money/usage";
import { countOf, isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import type { DeclineBill } from "./decline-bill.ts";

/**
 * Anthropic's counts, with each token in one kind. `input_tokens` excludes cache reads and writes, so nothing is
 * subtracted from it; `output_tokens` includes thinking, which is. null: not reported, or malformed; a guess would be
 * mistaken for a bill. `endsFree`: the answer ends with a refusal that is free if it came before the first word.
 */
export function readUsage(usage: JsonObject, endsFree = false): Usage | null {
  const iterations = readIterations(usage);
  const hop = servingHop(iterations);
  // The last model of a chain may decline as well.
  const isDeclined = endsFree && [...hop].every(({ output_tokens }) => output_tokens === 0);
  // The top level excludes the compaction iteration. After a fallback its meaning varies (the last answer, or parts of
  // each), so there the iterations themselves are used. All other iterations of this model are included.
  const counted = iterations.filter(
    iteration => iteration.type === "compaction" || (hop.has(iteration) && !isDeclined),
  );
  let total = hop.size > 0 ? readSearches(usage) : readCounts(usage);
  for (const iteration of counted) {
    // Searches are reported for the whole answer.
    const counts = readCounts({ ...iteration, server_tool_use: null });
    if (total === null || counts === null) return null;
    total = addUsage(total, counts);
  }
  return total === null ? null : withCredit(usage, total);
}

/**
 * A model that takes over after a refusal may be billed as if the conversation had been its own all along: what it
 * writes to the cache because another model had it is billed as read. How much that is, is not reported.
 */
function withCredit(usage: JsonObject, counts: Usage): Usage {
  if (!hasFallbackCredit(usage)) return counts;
  const { cache_read = 0, cache_write = 0, cache_write_1h = 0, ...rest } = counts;
  return addUsage(rest, usageOf({ cache_read: cache_read + cache_write + cache_write_1h }));
}

function hasFallbackCredit({ fallback_credit: credit }: JsonObject): boolean {
  return isJsonObject(credit) && isJsonObject(credit.status) && credit.status.type === "redeemed";
}

/**
 * The iterations of the model that took over, in an answer in which one did. The first is the requested model's; a
 * later one that names no model is of the model that was then answering.
 */
function servingHop(iterations: readonly JsonObject[]): ReadonlySet<JsonObject> {
  const last = iterations.findLast(isFallback);
  if (last === undefined) return new Set();
  const before = iterations.slice(0, iterations.findIndex(isFallback));
  const declined = before.find(({ type }) => type === "message");
  const isServing = (iteration: JsonObject) =>
    isAnswer(iteration) &&
    iteration !== declined &&
    (isAbsent(iteration.model) || iteration.model === last.model);
  return new Set(iterations.filter(isServing));
}

/** Whether the answer reports each iteration separately. */
export function hasIterations(usage: JsonObject): boolean {
  return readIterations(usage).length > 0;
}

/** Each call was followed by another iteration. Used only if the content does not show the iterations. */
export function readServerToolCalls({ server_tool_use: tools }: JsonObject): number {
  if (!isJsonObject(tools)) return 0;
  return (count(tools.web_search_requests) ?? 0) + (count(tools.web_fetch_requests) ?? 0);
}

/** The input of the largest of several iterations. */
export function readLargestPrompt(usage: JsonObject): number | null {
  const own = readIterations(usage).filter(iteration => iteration.type !== "advisor_message");
  const inputs = own.flatMap(iteration => readInput(iteration) ?? []).map(inputTokens);
  return inputs.length < 2 ? null : Math.max(...inputs);
}

/**
 * The usage of other models, each at its own price and in no total: an advisor, and the models that declined before
 * another took over, unless they did so before any output and that is free. `handovers`: in the answer's order. null as
 * above.
 */
export function readOtherModels(
  usage: JsonObject,
  handovers: readonly DeclineBill[] = [],
): { model: string; usage: Usage }[] | null {
  const others: { model: string; usage: Usage }[] = [];
  const iterations = readIterations(usage);
  const hop = servingHop(iterations);
  const hopNumbers = numberHops(iterations);
  for (const [at, iteration] of iterations.entries()) {
    const isAbandoned = hop.size > 0 && !hop.has(iteration) && isAnswer(iteration);
    const bill = handovers[hopNumbers[at] ?? 0] ?? "free";
    const isFree = iteration.output_tokens === 0 && bill === "free";
    if (iteration.type !== "advisor_message" && (!isAbandoned || isFree)) continue;
    const counts = readCounts(iteration);
    if (counts === null || typeof iteration.model !== "string") return null;
    others.push({ model: iteration.model, usage: counts });
  }
  return others;
}

/** How many models had declined before each iteration. One that names no model is of the model that was then answering. */
function numberHops(iterations: readonly JsonObject[]): number[] {
  let model = iterations.find(isAnswer)?.model;
  let hops = 0;
  return iterations.map(iteration => {
    if (isAnswer(iteration) && !isAbsent(iteration.model) && iteration.model !== model) {
      model = iteration.model;
      hops++;
    }
    return hops;
  });
}

/** The model that took over, if one did: the message may still name the requested one. */
export function readFallbackModel(usage: JsonObject): string | null {
  const fallback = readIterations(usage).findLast(isFallback);
  return typeof fallback?.model === "string" ? fallback.model : null;
}

/** Only the input: final as soon as a stream starts, while the output is still provisional. */
export function readInput(usage: JsonObject): Usage | null {
  const input = count(usage.input_tokens);
  const cacheRead = optionalCount(usage.cache_read_input_tokens);
  const writes = readCacheWrites(usage);
  if (input === null || cacheRead === null || writes === null) return null;
  return usageOf({ input, cache_read: cacheRead, ...writes });
}

/** Only the output. */
export function readOutput(usage: JsonObject): Usage | null {
  const output = count(usage.output_tokens);
  const details = usage.output_tokens_details;
  const thinking = isJsonObject(details) ? optionalCount(details.thinking_tokens) : 0;
  if (output === null || thinking === null) return null;
  // More thinking than output cannot be split; the total is what is billed.
  const reasoning = thinking <= output ? thinking : 0;
  return usageOf({ output: output - reasoning, reasoning });
}

function readCounts(usage: JsonObject): Usage | null {
  const input = readInput(usage);
  const output = readOutput(usage);
  const searches = readSearches(usage);
  if (input === null || output === null || searches === null) return null;
  return addUsage(addUsage(input, searches), output);
}

function readSearches({ server_tool_use: tools }: JsonObject): Usage | null {
  const searches = isJsonObject(tools) ? optionalCount(tools.web_search_requests) : 0;
  return searches === null ? null : usageOf({ web_searches: searches });
}

/**
 * Whether the answer says how much was used, but not at which rates. So it is with a fallback's credit, with cache writes
 * whose parts exceed their total, and with a lifetime, iteration or server tool of an unknown kind.
 */
export function isSplitUncertain(usage: JsonObject): boolean {
  const iterations = readIterations(usage);
  const all = [usage, ...iterations];
  return (
    hasFallbackCredit(usage) ||
    all.some(hasExcessWrites) ||
    all.some(hasUnknownWrites) ||
    all.some(hasUnknownTools) ||
    iterations.some(({ type }) => !isAbsent(type) && !knownIterations.has(type))
  );
}

const knownIterations: ReadonlySet<unknown> = new Set([
  "message",
  "compaction",
  "advisor_message",
  "fallback_message",
]);
const knownLifetimes: ReadonlySet<string> = new Set([
  "ephemeral_5m_input_tokens",
  "ephemeral_1h_input_tokens",
]);

/** Of these, only searches have a fee per use. Code runs in containers, which are billed by time and not in answers. */
const knownTools: ReadonlySet<string> = new Set([
  "web_search_requests",
  "web_fetch_requests",
  "tool_search_requests",
  "code_execution_requests",
]);

function hasUnknownWrites({ cache_creation: split }: JsonObject): boolean {
  return hasOthers(split, knownLifetimes);
}

/** A tool that is not known here may have a fee. */
function hasUnknownTools({ server_tool_use: tools }: JsonObject): boolean {
  return hasOthers(tools, knownTools);
}

/** Whether there are other counts than the known ones, except zeros. */
function hasOthers(counts: unknown, known: ReadonlySet<string>): boolean {
  if (!isJsonObject(counts)) return false;
  return Object.entries(counts).some(([name, value]) => !known.has(name) && optionalCount(value) !== 0);
}

function hasExcessWrites({ cache_creation: split, cache_creation_input_tokens: total }: JsonObject): boolean {
  if (!isJsonObject(split) || isAbsent(total)) return false;
  const parts = [split.ephemeral_5m_input_tokens, split.ephemeral_1h_input_tokens];
  return parts.reduce((sum: number, part) => sum + (count(part) ?? 0), 0) > (count(total) ?? 0);
}

/**
 * The split by lifetime is reported once, at the start; later writes have none. The total is authoritative: whatever
 * exceeds the one-hour part is priced as ordinary five-minute writes.
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

function isAnswer(iteration: JsonObject): boolean {
  return iteration.type === "message" || isFallback(iteration);
}

function isFallback(iteration: JsonObject): boolean {
  return iteration.type === "fallback_message";
}

function readIterations(usage: JsonObject): JsonObject[] {
  return Array.isArray(usage.iterations) ? usage.iterations.filter(isJsonObject) : [];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function count(value: unknown): number | null {
  return countOf(value) ?? null;
}

/** Older models omit features that they lack: there, absence is a known zero. */
function optionalCount(value: unknown): number | null {
  return isAbsent(value) ? 0 : count(value);
}
