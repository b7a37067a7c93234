import { type GoogleAnswer, googleAnswer } from "./google-answer.ts";
import type { RawAnswer } from "./raw-answer.ts";

/** What most bills of these answers have in common. */
export const priced = { usage_source: "provider", cost_basis: "priced", service_tier: "standard" } as const;

interface GoogleCounts {
  readonly prompt: number;
  readonly cached?: number;
  readonly toolPrompt?: number;
  readonly audio?: number;
  readonly thoughts?: number;
  readonly candidates?: number;
}

/** The prompt includes cached and audio tokens; the tools' prompt and thoughts are separate. Zeros are omitted. */
export function countedGoogleAnswer(
  model: string | null,
  counts: GoogleCounts,
  more: Partial<GoogleAnswer> = {},
  tier: string | object = "standard",
): RawAnswer {
  const { prompt, cached, toolPrompt, audio, thoughts, candidates } = counts;
  const text = { modality: "TEXT", tokenCount: prompt - (audio ?? 0) };
  return googleAnswer({
    model,
    usage: {
      promptTokenCount: prompt,
      ...(candidates !== undefined && { candidatesTokenCount: candidates }),
      totalTokenCount: prompt + (toolPrompt ?? 0) + (thoughts ?? 0) + (candidates ?? 0),
      ...(cached !== undefined && {
        cachedContentTokenCount: cached,
        cacheTokensDetails: [{ modality: "TEXT", tokenCount: cached }],
      }),
      promptTokensDetails: audio === undefined ? [text] : [text, { modality: "AUDIO", tokenCount: audio }],
      ...(toolPrompt !== undefined && { toolUsePromptTokenCount: toolPrompt }),
      ...(thoughts !== undefined && { thoughtsTokenCount: thoughts }),
      ...(typeof tier === "string" ? { serviceTier: tier } : tier),
    },
    ...more,
  });
}
