import { type Usage, usageOf } from "@tollgate/core/money/usage";
import { type JsonObject, jsonObjectOf } from "@tollgate/core/wire/json-fields";

export interface ReadCounts {
  readonly usage: Usage;
  /** The count that Google omitted and that is not in `usage`. Everything else was reported. */
  readonly missing: "input" | "output" | null;
  /**
   * The total is more than its parts, a part more than its whole, one count is of text and images, the cache may have
   * had audio, or the answer is a video: all of it is in `usage`, but its kind is a guess.
   */
  readonly hasUncounted?: true;
}

/**
 * Google's counts, with each token in one kind. `promptTokenCount` includes cached tokens but not the tools' prompt;
 * `candidatesTokenCount` excludes thoughts, unless the total says otherwise. Details split a count by modality and add
 * nothing. null: nothing was reported, or a count is malformed. `sawOutput`: text or a call was already read, so a
 * missing candidates' count is not zero, even if the total suggests it.
 */
export function readUsage(usageMetadata: unknown, sawOutput: boolean): ReadCounts | null {
  const metadata = jsonObjectOf(usageMetadata);
  if (metadata === undefined) return null;
  const reported = {
    prompt: count(metadata.promptTokenCount),
    candidates: count(metadata.candidatesTokenCount),
    // Google omits zeros, so beside another count an absent one is a known zero; a malformed one is not.
    toolUse: count(metadata.toolUsePromptTokenCount) ?? 0,
    cached: count(metadata.cachedContentTokenCount) ?? 0,
    thoughts: count(metadata.thoughtsTokenCount) ?? 0,
    total: count(metadata.totalTokenCount),
  };
  if (Object.values(reported).includes(STRANGE)) return null;
  const others = reported.toolUse + reported.thoughts;
  const hasNeither = reported.prompt === undefined && reported.candidates === undefined;
  if (hasNeither && others === 0) return null; // a frame with only its trafficType
  const total = hasNeither ? undefined : reported.total;
  const prompt = reported.prompt ?? rest(total, others + (reported.candidates ?? 0), true);
  const candidates = reported.candidates ?? rest(total, others + (reported.prompt ?? 0), sawOutput);
  const output = splitThoughts(
    candidates ?? 0,
    reported.thoughts,
    reported.total === undefined || prompt === undefined || candidates === undefined
      ? null
      : reported.total - prompt - reported.toolUse,
  );
  const input = splitPrompt(metadata, prompt ?? 0, reported.cached, reported.toolUse);
  const excess =
    input.isGuess ||
    hasExcess(metadata.promptTokensDetails, prompt) ||
    hasExcess(metadata.cacheTokensDetails, reported.cached) ||
    hasExcess(metadata.candidatesTokensDetails, candidates) ||
    modality(metadata.candidatesTokensDetails, "VIDEO") > 0;
  return {
    usage: usageOf({
      ...input.kinds,
      ...splitCandidates(metadata, output.answer),
      reasoning: output.thoughts + output.uncounted,
    }),
    missing: prompt === undefined ? "input" : candidates === undefined ? "output" : null,
    ...((output.uncounted > 0 || reported.cached > (prompt ?? reported.cached) || excess) && {
      hasUncounted: true,
    }),
  };
}

/**
 * `generated` is all output by the total; null: unknown. Some answers count thoughts among the candidates too, where
 * adding them would bill them twice; in others no count has what the total includes, which is most likely thought.
 */
function splitThoughts(candidates: number, thoughts: number, generated: number | null) {
  if (generated === candidates && thoughts <= candidates)
    return { answer: candidates - thoughts, thoughts, uncounted: 0 };
  const uncounted = Math.max(0, (generated ?? 0) - candidates - thoughts);
  return { answer: candidates, thoughts, uncounted };
}

/**
 * Cached tokens that the details leave out are assumed to be text as far as the prompt has text, then audio: more text
 * than the prompt has cannot come from its cache. `isGuess`: there may be more audio among them.
 */
function splitPrompt(metadata: JsonObject, prompt: number, cachedCount: number, toolUse: number) {
  const cached = Math.min(cachedCount, prompt);
  const promptAudio = Math.min(modality(metadata.promptTokensDetails, "AUDIO"), prompt);
  const statedAudio = Math.min(modality(metadata.cacheTokensDetails, "AUDIO"), cached);
  const leftOut = Math.max(0, cached - sumOf(metadata.cacheTokensDetails));
  const cachedAudio = Math.max(statedAudio, cached - (prompt - promptAudio));
  const freshAudio = Math.min(Math.max(promptAudio - cachedAudio, 0), prompt - cached);
  return {
    kinds: {
      input: prompt - cached - freshAudio + toolUse, // including images, which cost the same as text
      input_audio: freshAudio,
      cache_read: cached - cachedAudio,
      cache_read_audio: cachedAudio,
    },
    isGuess: Math.min(promptAudio, statedAudio + leftOut) > cachedAudio,
  };
}

function splitCandidates(metadata: JsonObject, candidates: number) {
  const audio = Math.min(modality(metadata.candidatesTokensDetails, "AUDIO"), candidates);
  const image = Math.min(modality(metadata.candidatesTokensDetails, "IMAGE"), candidates - audio);
  return { output: candidates - audio - image, output_audio: audio, output_image: image };
}

/**
 * What the total leaves for the one missing count; undefined: unknown. A model that reached its limit while thinking
 * sends no candidates' count, and then nothing is left. `isThere`: it is known not to be zero.
 */
function rest(total: number | undefined, others: number, isThere: boolean): number | undefined {
  if (total === undefined || total < others) return undefined;
  return total === others && isThere ? undefined : total - others;
}

const MAX_COUNT = 2 ** 31 - 1; // int32 on Google's side

/** Present, but not a valid count. */
const STRANGE = -1;

/** undefined: absent. */
function count(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT
    ? value
    : STRANGE;
}

/** A modality with a rate of its own is more than its whole, or no count. `whole` is undefined if unknown. */
function hasExcess(details: unknown, whole = MAX_COUNT): boolean {
  return isStrange(details) || modality(details, "AUDIO") > whole || modality(details, "IMAGE") > whole;
}

function isStrange(details: unknown): boolean {
  return Array.isArray(details) && details.some(entry => count(jsonObjectOf(entry)?.tokenCount) === STRANGE);
}

function modality(details: unknown, name: string): number {
  return sumOf(details, modality => modality === name);
}

function sumOf(details: unknown, isCounted: (modality: unknown) => boolean = () => true): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const entry of details) {
    const detail = jsonObjectOf(entry);
    const tokens = count(detail?.tokenCount);
    if (tokens !== undefined && tokens !== STRANGE && isCounted(detail?.modality)) sum += tokens;
  }
  return sum;
}
