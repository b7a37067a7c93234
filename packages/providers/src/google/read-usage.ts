import { type Usage, usageOf } from "@tollgate/core/usage";
import { fieldsOf } from "../json-fields.ts";

/**
 * Google's counts, each token moved to one place. `promptTokenCount` contains what was cached but not the tools'
 * prompt; `candidatesTokenCount` does not contain the thoughts. Details split a count by modality, they add nothing.
 *
 * `sawOutput`: text or a call was already read. A missing candidates' count then is not a zero, whatever the total says.
 */
export function readUsage(usageMetadata: unknown, sawOutput: boolean): Usage | null {
  const metadata = fieldsOf(usageMetadata);
  if (metadata === undefined) return null;
  const prompt = count(metadata.promptTokenCount);
  if (typeof prompt !== "number") return null; // a frame with only its trafficType, or nothing that we know

  // Google leaves out what is zero, so beside a prompt count an absent one is known; a strange one is not.
  const toolUse = zeroIfAbsent(count(metadata.toolUsePromptTokenCount));
  const cachedCount = zeroIfAbsent(count(metadata.cachedContentTokenCount));
  const thoughts = zeroIfAbsent(count(metadata.thoughtsTokenCount));
  if (toolUse === null || cachedCount === null || thoughts === null) return null;

  const candidates = readCandidates(metadata, prompt + toolUse + thoughts, sawOutput);
  if (candidates === null) return null;

  const cached = Math.min(cachedCount, prompt);
  const cachedAudio = Math.min(modality(metadata.cacheTokensDetails, "AUDIO"), cached);
  const promptAudio = modality(metadata.promptTokensDetails, "AUDIO");
  const freshAudio = Math.min(Math.max(promptAudio - cachedAudio, 0), prompt - cached);
  const audioOut = Math.min(modality(metadata.candidatesTokensDetails, "AUDIO"), candidates);
  const imageOut = Math.min(modality(metadata.candidatesTokensDetails, "IMAGE"), candidates - audioOut);
  return usageOf({
    input: prompt - cached - freshAudio + toolUse, // images too: they cost what text costs
    input_audio: freshAudio,
    cache_read: cached - cachedAudio,
    cache_read_audio: cachedAudio,
    output: candidates - audioOut - imageOut,
    output_audio: audioOut,
    output_image: imageOut,
    reasoning: thoughts,
  });
}

/** A model that ran into its limit while thinking sends no candidates' count: the total says whether that is zero. */
function readCandidates(
  metadata: Readonly<Record<string, unknown>>,
  others: number,
  sawOutput: boolean,
): number | null {
  const candidates = count(metadata.candidatesTokenCount);
  if (candidates !== undefined) return candidates;
  const total = count(metadata.totalTokenCount);
  if (typeof total !== "number" || total < others) return null;
  return total === others && sawOutput ? null : total - others;
}

const MAX_COUNT = 2 ** 31 - 1; // int32 on Google's side

/** undefined: absent. null: there, and not a count. */
function count(value: unknown): number | undefined | null {
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT
    ? value
    : null;
}

function zeroIfAbsent(value: number | undefined | null): number | null {
  return value === undefined ? 0 : value;
}

function modality(details: unknown, name: string): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const entry of details) {
    const detail = fieldsOf(entry);
    const tokens = count(detail?.tokenCount);
    if (detail?.modality === name && typeof tokens === "number") sum += tokens;
  }
  return sum;
}
