import type { Microcents } from "@tollgate/core/money/money";
import type { Usage } from "@tollgate/core/money/usage";
import type { CanonicalError } from "./canonical/answer.ts";

/** The billing information in a provider's answer, as far as it was read. */
export interface Reading {
  /** The model that answered (`gpt-4o-mini-2024-07-18`), if the provider names it. */
  readonly servedModel: string | null;
  /** null: not reported yet. */
  readonly usage: Usage | null;
  /**
   * While `usage` is null: what was reported so far. Anthropic's input before the answer, Google's counts up to this
   * frame or beside a missing one, searches made.
   */
  readonly partial?: Usage;
  /** The count missing in `partial` is the input; the output is included. */
  readonly isInputMissing?: boolean;
  /** If `usage` sums several model iterations: the input of the largest. Long-context rates apply per iteration. */
  readonly largestPrompt?: number;
  /** If `usage` sums several iterations of unknown size. */
  readonly iterations?: {
    readonly count: number;
    /** null: not reported. */
    readonly firstInput: number | null;
    /** The estimated tokens of all tool results. */
    readonly resultTokens: number;
  };
  /**
   * While `usage` is null: for each iteration that followed a server tool use, the estimated tokens of all results that
   * it read. `partial` covers only the first iteration.
   */
  readonly toolResultTokens?: readonly number[];
  /** `usage` is reported, but not which of it is billed at which rate. */
  readonly isBillUncertain?: boolean;
  /** Usage of another model within this call, billed at that model's rates (Anthropic's advisor). */
  readonly additional: readonly { readonly model: string; readonly usage: Usage }[];
  /** The service conditions reported by the answer; the request can only ask for them. */
  readonly served: ServedUnder;
  /** The exact amount billed, if the provider states it (xAI's `cost_in_usd_ticks`). */
  readonly reportedCost: Microcents | null;
  /** Uses of tools and sources whose fees are in `reportedCost`, but not in `usage`. */
  readonly reportedFees?: number;
  /**
   * UTF-8 bytes of text, reasoning and tool arguments so far: the basis of an estimate if usage is null. Arguments that
   * executed code has computed are not included: no model wrote them. Once usage is known, only what its model wrote.
   */
  readonly outputBytes: number;
  /** While `usage` is null: tokens of speech seen so far. `outputBytes` includes them, at four bytes each. */
  readonly audioTokens?: number;
  readonly responseId: string | null;
}

interface ServedUnder {
  /** `flex`, `priority`, `batch`…; null or `default`/`standard`/`auto` is the list price. */
  readonly serviceTier: string | null;
  /** anthropic's `fast` mode. */
  readonly speed: string | null;
  /** anthropic's `inference_geo`. */
  readonly region: string | null;
  /** The search tool that was used, if its searches have their own price (OpenAI's `web_search_preview`, `google_maps`). */
  readonly searchTool?: string | null;
}

/**
 * Reads one answer as it passes. Both methods take parsed JSON exactly as the provider sent it, must not throw on an
 * unknown shape, and must never count what they do not understand as zero.
 */
export interface Meter {
  /** The headers of the answer, before its body. Only some providers state anything there. */
  readHead?(headers: Headers): void;
  /** The body of an answer that was not streamed. */
  readAnswer(body: unknown): void;
  /** One frame of a stream. */
  readFrame(frame: unknown): void;
  reading(): Reading;
  /** The error in an answer whose status is a success. Only some formats have one. */
  failure?(): CanonicalError | null;
}

export const listPrice: ServedUnder = { serviceTier: null, speed: null, region: null };

/** The provider never answered. */
export function emptyReading(): Reading {
  return {
    servedModel: null,
    usage: null,
    additional: [],
    served: listPrice,
    reportedCost: null,
    outputBytes: 0,
    responseId: null,
  };
}
