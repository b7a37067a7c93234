import type { JsonObject } from "@tollgate/core/wire/json-fields";

export interface PromptTool {
  readonly name: string;
  readonly schema: JsonObject;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

export type Effort = "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export type AnswerFormat =
  | { readonly kind: "text" }
  | { readonly kind: "json" }
  | { readonly kind: "schema"; readonly schema: JsonObject };

/** Everything that determines an answer, read from a request in any provider's format. */
export interface Prompt {
  readonly model: string;
  readonly inputTokens: number;
  /** The last user message with text; searched for magic inputs. */
  readonly lastUserText: string;
  /** The results that end the conversation; null if it ends with anything else. */
  readonly toolResults: readonly string[] | null;
  readonly endsWithUser: boolean;
  readonly tools: readonly PromptTool[];
  readonly toolChoice: ToolChoice;
  readonly parallelCalls: boolean;
  /** Claude writes a sentence before it calls a tool of its own choice; the others do not. */
  readonly speaksBeforeCalls: boolean;
  readonly format: AnswerFormat;
  readonly maxOutputTokens: number | null;
  readonly stop: readonly string[];
  /** null: the model does not reason. */
  readonly effort: Effort | null;
}

const efforts: readonly string[] = ["minimal", "low", "medium", "high", "xhigh", "max"] satisfies Effort[];

export function isEffort(value: unknown): value is Effort {
  return typeof value === "string" && efforts.includes(value);
}
