import type { ProviderId } from "../provider-id.ts";
import type { Catalogue } from "./catalogue.ts";
import { estimateTokens } from "./estimate.ts";
import { LARGEST_WINDOW } from "./largest-window.ts";

/** The prompt of a request as far as its body shows it, for estimates until the provider reports its own count. */
export interface PromptSize {
  /** UTF-8 bytes of text. */
  readonly bytes: number;
  /** Tokens of images, files, and what the request only references: never more than the context window. */
  readonly mediaTokens: number;
  readonly audioTokens: number;
  /** The cache write that the request asks for. null: none. Anthropic then caches nothing; others decide themselves. */
  readonly cacheWrite: "cache_write" | "cache_write_1h" | null;
}

export function textPrompt(bytes: number): PromptSize {
  return { bytes, mediaTokens: 0, audioTokens: 0, cacheWrite: null };
}

export interface PromptTokens {
  /** All but audio. */
  readonly input: number;
  readonly audio: number;
}

export function promptTokens(
  { bytes, mediaTokens, audioTokens }: PromptSize,
  provider: ProviderId,
  model: string,
  catalogue: Pick<Catalogue, "find">,
): PromptTokens {
  const text = estimateTokens(bytes);
  if (mediaTokens === 0 && audioTokens === 0) return { input: text, audio: 0 };
  const window = catalogue.find(provider, model)?.contextWindow ?? LARGEST_WINDOW;
  const audio = Math.min(audioTokens, window);
  return { input: text + Math.min(mediaTokens, window - audio), audio };
}
