import { type Usage, usageOf } from "@tollgate/core/money/usage";
import { countOf, type JsonObject, jsonObjectOf } from "@tollgate/core/wire/json-fields";

/**
 * The usage of a chat completion. `prompt_tokens` includes cached, written and audio tokens; `completion_tokens`
 * includes reasoning, audio and rejected predictions: each part is subtracted from its total, so that nothing is billed
 * twice. null unless both totals are known.
 */
export function readChatUsage(usage: unknown): Usage | null {
  const fields = jsonObjectOf(usage);
  const prompt = countOf(fields?.prompt_tokens);
  const completion = countOf(fields?.completion_tokens);
  if (prompt === undefined || completion === undefined) return null;
  return usageOf({
    ...splitInput(prompt, fields?.prompt_tokens_details),
    ...splitOutput(completion, fields?.completion_tokens_details),
  });
}

/** The input or the output of a usage that lacks the other; null: neither is known. */
export function readOneTotal(usage: unknown): Usage | null {
  const fields = jsonObjectOf(usage);
  const input = countOf(fields?.prompt_tokens ?? fields?.input_tokens);
  if (input !== undefined)
    return usageOf(splitInput(input, fields?.prompt_tokens_details ?? fields?.input_tokens_details));
  const output = countOf(fields?.completion_tokens ?? fields?.output_tokens);
  if (output === undefined) return null;
  return usageOf(splitOutput(output, fields?.completion_tokens_details ?? fields?.output_tokens_details));
}

/**
 * Which of the cached tokens were audio is not reported: they are assumed to be text as far as there is text, then
 * audio. A part that exceeds its whole is reduced to it.
 */
export function splitInput(prompt: number, details: unknown) {
  const parts = jsonObjectOf(details);
  let audio = Math.min(countOf(parts?.audio_tokens) ?? 0, prompt);
  let text = prompt - audio;
  const cached = Math.min(countOf(parts?.cached_tokens) ?? 0, prompt);
  const cachedText = Math.min(cached, text);
  text -= cachedText;
  audio -= cached - cachedText;
  const written = Math.min(countOf(parts?.cache_write_tokens) ?? 0, text + audio);
  const writtenText = Math.min(written, text);
  const writtenLong = Math.min(countOf(lifetimesOf(parts)?.[LONG_WRITE]) ?? 0, written);
  return {
    input: text - writtenText,
    cache_read: cachedText,
    cache_read_audio: cached - cachedText,
    cache_write: written - writtenLong,
    cache_write_1h: writtenLong,
    input_audio: audio - (written - writtenText),
  };
}

const LONG_WRITE = "ttl_12h_tokens";
const knownLifetimes: ReadonlySet<string> = new Set(["ttl_30m_tokens", LONG_WRITE]);

/** Parts of the cache writes. */
function lifetimesOf(details: JsonObject | undefined): JsonObject | undefined {
  return jsonObjectOf(details?.cache_write_tokens_details);
}

/** A lifetime is unknown or no count, or the lifetimes are more than all writes. */
function hasUnreadableWrites(details: unknown): boolean {
  const fields = jsonObjectOf(details);
  const lifetimes = Object.entries(lifetimesOf(fields) ?? {});
  const written = lifetimes.reduce((sum, [, tokens]) => sum + (countOf(tokens) ?? 0), 0);
  return (
    isNoObject(fields?.cache_write_tokens_details) ||
    lifetimes.some(([name, tokens]) => isNoCount(tokens) || (!knownLifetimes.has(name) && countOf(tokens))) ||
    written > (countOf(fields?.cache_write_tokens) ?? 0)
  );
}

export function splitOutput(completion: number, details: unknown) {
  const parts = jsonObjectOf(details);
  const audio = Math.min(countOf(parts?.audio_tokens) ?? 0, completion);
  const reasoning = Math.min(countOf(parts?.reasoning_tokens) ?? 0, completion - audio);
  return { output: completion - audio - reasoning, reasoning, output_audio: audio };
}

/** Parts in one list do not overlap: what was read from the cache was not written to it, but may be audio. */
const inputParts = [["cached_tokens", "cache_write_tokens"], ["audio_tokens"]];
const outputParts = [["reasoning_tokens"], ["audio_tokens"]];

/**
 * A part is there, but is no count, or is more than its whole: the total is known, but not what each of its tokens costs.
 * Reasoning is compared with what the total has beyond the prompt, because xAI does not count it in the whole.
 */
export function hasUnreadablePart(usage: unknown): boolean {
  const fields = jsonObjectOf(usage);
  const prompt = countOf(fields?.prompt_tokens ?? fields?.input_tokens);
  const completion = countOf(fields?.completion_tokens ?? fields?.output_tokens);
  const total = countOf(fields?.total_tokens);
  const generated =
    total === undefined || prompt === undefined ? undefined : Math.max(total - prompt, completion ?? 0);
  const input = fields?.prompt_tokens_details ?? fields?.input_tokens_details;
  const output = fields?.completion_tokens_details ?? fields?.output_tokens_details;
  return (
    isUnreadable(input, inputParts) ||
    isUnreadable(output, outputParts) ||
    hasUnreadableWrites(input) ||
    exceeds(input, inputParts, prompt) ||
    exceeds(output, [["audio_tokens"]], completion) ||
    exceeds(output, [["reasoning_tokens"]], generated)
  );
}

type Parts = readonly (readonly string[])[];

function exceeds(details: unknown, parts: Parts, whole: number | undefined): boolean {
  const fields = jsonObjectOf(details);
  if (fields === undefined || whole === undefined) return false;
  return parts.some(names => names.reduce((sum, name) => sum + (countOf(fields[name]) ?? 0), 0) > whole);
}

function isUnreadable(details: unknown, parts: Parts): boolean {
  const fields = jsonObjectOf(details);
  return isNoObject(details) || parts.flat().some(name => isNoCount(fields?.[name]));
}

/** Present, but not an object. */
function isNoObject(value: unknown): boolean {
  return value !== undefined && value !== null && jsonObjectOf(value) === undefined;
}

/** Present, but not a count. */
export function isNoCount(value: unknown): boolean {
  return value !== undefined && value !== null && countOf(value) === undefined;
}
