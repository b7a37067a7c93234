/**
 * A provider-neutral conversation. A client's dialect is decoded into this, and a provider's codec encodes it, unless
 * both use the same format: then the bytes pass through and this is never built.
 */

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  /** Anthropic's cache breakpoint, kept verbatim from any dialect. */
  readonly cacheControl?: unknown;
  /** Gemini's thoughtSignature, on text that the model generated. */
  readonly signature?: string;
}

export interface ImagePart {
  readonly kind: "image";
  readonly source:
    | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
    | { readonly kind: "url"; readonly url: string };
  readonly detail?: string;
  readonly cacheControl?: unknown;
}

interface AudioPart {
  readonly kind: "audio";
  readonly format: string;
  readonly data: string;
}

export interface FilePart {
  readonly kind: "file";
  readonly mediaType: string;
  readonly filename?: string;
  readonly source:
    | { readonly kind: "base64"; readonly data: string }
    | { readonly kind: "url"; readonly url: string };
  readonly cacheControl?: unknown;
}

export type UserPart = TextPart | ImagePart | AudioPart | FilePart;

/** Thinking. Providers reject a later turn whose signature was lost, so it is kept with the text. */
export interface ReasoningPart {
  readonly kind: "reasoning";
  readonly text: string;
  readonly signature?: string;
}

/** Thinking that the provider encrypted (anthropic's `redacted_thinking`). */
export interface RedactedReasoningPart {
  readonly kind: "redacted_reasoning";
  readonly data: string;
}

export interface ToolCallPart {
  readonly kind: "tool_call";
  readonly id: string;
  readonly name: string;
  /** JSON text of an object; "" has already become "{}". */
  readonly arguments: string;
  /** Gemini's thoughtSignature. */
  readonly signature?: string;
}

export interface RefusalPart {
  readonly kind: "refusal";
  readonly text: string;
}

/** An image that the model generated, base64-encoded. */
export interface GeneratedImagePart {
  readonly kind: "generated_image";
  readonly mediaType: string;
  readonly data: string;
  /** Gemini's thoughtSignature. */
  readonly signature?: string;
}

export type AssistantPart =
  | TextPart
  | ReasoningPart
  | RedactedReasoningPart
  | ToolCallPart
  | RefusalPart
  | GeneratedImagePart;

export interface ToolResult {
  readonly callId: string;
  /** Looked up in the conversation's calls, for Gemini. undefined if no call has that id. */
  readonly name: string | undefined;
  readonly content: readonly UserPart[];
  readonly isError: boolean;
  readonly cacheControl?: unknown;
}

/** In order: a system turn may be in the middle. Adjacent results of one assistant turn are one turn. */
export type Turn =
  | { readonly role: "system"; readonly parts: readonly TextPart[] }
  | { readonly role: "user"; readonly parts: readonly UserPart[] }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[] }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema; absent means no parameters. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly strict?: boolean;
  readonly cacheControl?: unknown;
}

export type ToolChoice =
  | { readonly mode: "auto" | "none" | "required" }
  | { readonly mode: "tool"; readonly name: string };

export type OutputFormat =
  | { readonly kind: "json" }
  | {
      readonly kind: "schema";
      readonly name: string;
      readonly schema: Readonly<Record<string, unknown>>;
      readonly strict?: boolean;
    };

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export type Modality = "text" | "image";

export interface CanonicalRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly turns: readonly Turn[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly outputFormat?: OutputFormat;
  /** `effort` comes from OpenAI's dialect, `budgetTokens` from Anthropic's; an encoder derives the one it needs. */
  readonly reasoning?: { readonly effort?: Effort; readonly budgetTokens?: number };
  /** What the answer may consist of; absent: the model's default. Only Google generates images. */
  readonly modalities?: readonly Modality[];
  readonly serviceTier?: string;
  /** An opaque id of the end user, as the client sent it. */
  readonly user?: string;
  /** Adds cache breakpoints to what repeats from call to call, for providers that need them. */
  readonly cachesPrompt?: boolean;
}
