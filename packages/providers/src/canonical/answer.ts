import type { AssistantPart, GeneratedImagePart } from "./request.ts";

/** Why a model stopped, in one vocabulary. */
export type Finish =
  | "stop"
  | "stop_sequence"
  | "length"
  | "tool_calls"
  | "refusal" // the model declined
  | "content_filter" // a safety system cut in
  | "pause" // anthropic's pause_turn: the client may continue the turn
  | "error"; // the model's output was unusable (gemini's MALFORMED_FUNCTION_CALL)

/** A client sends it back with its next request. */
export type AnswerPart = AssistantPart;

/** A whole answer. Usage is the meter's business, not part of the answer. */
export interface CanonicalAnswer {
  readonly id: string;
  readonly model: string;
  /** Epoch seconds, if the provider states it. */
  readonly created?: number;
  readonly parts: readonly AnswerPart[];
  readonly finish: Finish;
  readonly stopSequence?: string;
}

/** A streamed answer, piece by piece. Tool calls are numbered 0, 1, 2… in the order in which they start. */
export type AnswerEvent =
  | { readonly kind: "start"; readonly id: string; readonly model: string }
  /** The text may be empty if there is a signature: Gemini signs a streamed text at its end. */
  | { readonly kind: "text"; readonly text: string; readonly signature?: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "reasoning_signature"; readonly signature: string }
  | { readonly kind: "redacted_reasoning"; readonly data: string }
  | { readonly kind: "refusal"; readonly text: string }
  | GeneratedImagePart
  | {
      readonly kind: "tool_start";
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly signature?: string;
    }
  | { readonly kind: "tool_arguments"; readonly index: number; readonly fragment: string }
  | { readonly kind: "finish"; readonly finish: Finish; readonly stopSequence?: string }
  /** The provider failed after it had started to answer. */
  | { readonly kind: "error"; readonly error: CanonicalError };

/** A provider's own error, in a form that every dialect can encode. */
export interface CanonicalError {
  readonly status: number;
  readonly message: string;
  /** The provider's own error type (`invalid_api_key`, `overloaded_error`, `RESOURCE_EXHAUSTED`). */
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  /** When to try again, if the body says so: other providers send a header. */
  readonly retryAfterSeconds?: number;
}
