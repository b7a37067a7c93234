import type { Microcents } from "@tollgate/core/money/money";
import type { Usage } from "@tollgate/core/money/usage";

/** What a provider's answer says about money, as far as it was read. */
export interface Reading {
  /** The model that answered (`gpt-4o-mini-2024-07-18`), where the provider names it. */
  readonly servedModel: string | null;
  /** null: the provider has not said. */
  readonly usage: Usage | null;
  /**
   * While `usage` is null: what was reported so far. Anthropic's input before the answer, google's counts up to
   * this frame or beside a missing one, searches made.
   */
  readonly partial?: Usage;
  /** The count that is missing beside `partial` is the input: the output is in it. */
  readonly isInputMissing?: boolean;
  /** Where `usage` adds up several passes: the input of the longest. Rates of long prompts apply to a pass. */
  readonly longestPass?: number;
  /** Where `usage` is a sum over several passes of unknown length. `firstInput` is null where it is not reported. */
  readonly passes?: { readonly count: number; readonly firstInput: number | null };
  /**
   * While `usage` is null: for each pass that followed a use of the provider's own tools, the tokens of all results that
   * it read, as estimated. `partial` holds the first pass only.
   */
  readonly laterPasses?: readonly number[];
  /** Work that another model did within this call, billed at that model's rates (anthropic's advisor). */
  readonly additional: readonly { readonly model: string; readonly usage: Usage }[];
  /** The conditions it was served under, as far as the answer reports them: the request only asks. */
  readonly served: ServedUnder;
  /** The exact amount billed, where the provider states it (xAI's `cost_in_usd_ticks`). */
  readonly reportedCost: Microcents | null;
  /** UTF-8 bytes of text, reasoning and tool arguments seen so far: the basis of an estimate when usage is null. */
  readonly outputBytes: number;
  readonly responseId: string | null;
}

export interface ServedUnder {
  /** `flex`, `priority`, `batch`…; null or `default`/`standard`/`auto` is the list price. */
  readonly serviceTier: string | null;
  /** anthropic's `fast` mode. */
  readonly speed: string | null;
  /** anthropic's `inference_geo`. */
  readonly region: string | null;
  /** The search tool that was used, where its searches have a price of their own (openai's `web_search_preview`). */
  readonly searchTool?: string | null;
}

/**
 * Reads one answer as it passes. Both methods take parsed JSON exactly as the provider sent it, must not throw
 * on a shape they do not know, and must never count what they do not understand as zero.
 */
export interface Meter {
  /** The whole body of an answer that was not streamed. */
  readAnswer(body: unknown): void;
  /** One frame of a stream. */
  readFrame(frame: unknown): void;
  reading(): Reading;
}

export const listPrice: ServedUnder = { serviceTier: null, speed: null, region: null };
