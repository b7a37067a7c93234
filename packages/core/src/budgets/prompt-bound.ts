/**
 * An upper bound on the input tokens of a request, for strict budgets. A text token has at least one byte of the
 * request. Anything else is bounded only by the model's window: references (a link, a stored file or conversation), and
 * images, audio and files, of which a few bytes may be thousands of tokens.
 */

import { LARGEST_WINDOW } from "../pricing/largest-window.ts";

/** Providers add a prompt of their own to a request with tools. */
const HIDDEN_PROMPT_TOKENS = 1000;

const storedInput = ["previous_response_id", "conversation", "prompt", "container", "web_search_options"];
/** The client runs these itself and sends their results; any other tool is the provider's, and may read anything. */
const clientTools: ReadonlySet<unknown> = new Set([undefined, "function", "custom"]);

/** As strings, these refer to external content, or contain it as a `data:` URL. */
const sources: ReadonlySet<string> = new Set(["url", "image_url", "file_url", "file_id", "file_data"]);
/** Google's names for such parts. */
const media: ReadonlySet<string> = new Set(["inlineData", "inline_data", "fileData"]);
/** Lists of parts, in any dialect. */
const partLists: ReadonlySet<string> = new Set(["content", "input", "output", "system"]);
/** Parts that are only text. An unknown part may be anything, so it is not listed. */
const textParts: ReadonlySet<unknown> = new Set([
  undefined, // a message without a type
  "text",
  "input_text",
  "output_text",
  "reasoning_text",
  "refusal",
  "message",
  "tool_use",
  "tool_result",
  "search_result",
  "thinking",
  "redacted_thinking",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
]);

export function budgetPromptBound(
  body: Readonly<Record<string, unknown>>,
  bodyBytes: number,
  contextWindow: number | null,
  /** Whether the provider also reads what it finds, besides the request. */
  searches = false,
): number {
  const window = contextWindow ?? LARGEST_WINDOW;
  if (searches || !isAllText(body)) return window;
  return Math.min(bodyBytes + ("tools" in body ? HIDDEN_PROMPT_TOKENS : 0), window);
}

function isAllText(body: Readonly<Record<string, unknown>>): boolean {
  if (storedInput.some(name => body[name] !== undefined && body[name] !== null)) return false;
  if (Array.isArray(body.tools) && body.tools.some(tool => !clientTools.has(fieldOf(tool, "type"))))
    return false;
  return !hasOtherThanText(body);
}

/**
 * Iterates without recursion, because a body may be deeply nested. For a list it remembers only the position, not the
 * elements: there may be millions.
 */
function hasOtherThanText(body: object): boolean {
  const waiting: object[] = [body];
  const places: number[] = [0];
  for (let value = waiting.at(-1); value !== undefined; value = waiting.at(-1)) {
    if (Array.isArray(value)) {
      const at = nextInside(value, places.at(-1) ?? 0);
      if (at < value.length) {
        places[places.length - 1] = at + 1;
        waiting.push(value[at]);
        places.push(0);
        continue;
      }
    }
    waiting.pop();
    places.pop();
    if (Array.isArray(value)) continue;
    for (const name of Object.keys(value)) {
      const item = fieldOf(value, name);
      if (isOtherThanText(name, item)) return true;
      if (typeof item !== "object" || item === null) continue;
      waiting.push(item);
      places.push(0);
    }
  }
  return false;
}

/** Index of the next element that is not empty; the list's length if there is none. */
function nextInside(list: readonly unknown[], from: number): number {
  for (let at = from; at < list.length; at++) {
    const item = list[at];
    if (typeof item !== "object" || item === null) continue;
    if (!Array.isArray(item) || item.length > 0) return at;
  }
  return list.length;
}

function isOtherThanText(name: string, value: unknown): boolean {
  if (typeof value === "string") return sources.has(name);
  if (typeof value !== "object" || value === null) return false;
  if (partLists.has(name)) return Array.isArray(value) && !value.every(isTextPart);
  // An earlier audio answer is sent back by its id.
  return media.has(name) || (name === "audio" && typeof fieldOf(value, "id") === "string");
}

function isTextPart(part: unknown): boolean {
  const type = fieldOf(part, "type");
  // Without its own content, reasoning is looked up where the provider stored it.
  if (type === "reasoning") return typeof fieldOf(part, "encrypted_content") === "string";
  return textParts.has(type);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
