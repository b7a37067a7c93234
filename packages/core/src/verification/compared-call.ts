import type { JsonObject } from "../wire/json-fields.ts";

/**
 * A request and its answers as graders see them, whatever dialect the client and whatever format the provider speaks. It
 * exists in memory only, while a pair is graded.
 */
export interface ComparedRequest {
  /** In their order; what is no text (an image, a file) is named in brackets. */
  readonly turns: readonly ComparedTurn[];
  /** Client-side tools; those that the provider runs itself make a call ineligible. */
  readonly tools: readonly ComparedTool[];
  readonly toolChoice: ComparedToolChoice;
  readonly output: ComparedOutput;
  /** null: not bounded. */
  readonly maxOutputTokens: number | null;
}

export interface ComparedTurn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
}

export interface ComparedTool {
  readonly name: string;
  /** JSON schema of the arguments; null: any object will do. */
  readonly parameters: JsonObject | null;
}

export type ComparedToolChoice =
  | { readonly mode: "auto" | "none" | "required" }
  | { readonly mode: "tool"; readonly name: string };

export type ComparedOutput =
  | { readonly kind: "text" }
  | { readonly kind: "json" }
  | { readonly kind: "schema"; readonly schema: JsonObject };

export type ComparedAnswer =
  /** An error of the provider, a timeout, or an answer that broke off or could not be read. */
  | { readonly kind: "failed" }
  /** The model declined, or a safety system cut in. */
  | { readonly kind: "refused" }
  | GivenAnswer;

export interface GivenAnswer {
  readonly kind: "given";
  /** All of its text, without reasoning. */
  readonly text: string;
  readonly toolCalls: readonly ComparedToolCall[];
}

export interface ComparedToolCall {
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
}
