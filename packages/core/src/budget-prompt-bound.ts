/**
 * A bound on the input tokens of a request, for budgets that must not exceed. A token is at least one byte of what
 * was sent; where the prompt is elsewhere (a link, a stored file or conversation), only the model's window bounds it.
 */

/** Providers put a text of their own before a request with tools. */
const HIDDEN_PROMPT_TOKENS = 1000;
/** Where the window of a model is not known. */
const LARGEST_WINDOW = 2_000_000;

const storedInput = ["previous_response_id", "conversation", "prompt", "container", "web_search_options"];
const links: ReadonlySet<string> = new Set(["url", "image_url", "file_url", "file_id"]);
/** These the client runs itself, and sends their results; any other one is the provider's, and reads what it likes. */
const clientTools: ReadonlySet<unknown> = new Set([undefined, "function", "custom"]);

export function budgetPromptBound(
  body: Readonly<Record<string, unknown>>,
  bodyBytes: number,
  contextWindow: number | null,
): number {
  const window = contextWindow ?? LARGEST_WINDOW;
  if (hasInputElsewhere(body)) return window;
  return Math.min(bodyBytes + ("tools" in body ? HIDDEN_PROMPT_TOKENS : 0), window);
}

function hasInputElsewhere(body: Readonly<Record<string, unknown>>): boolean {
  if (storedInput.some(name => body[name] !== undefined && body[name] !== null)) return true;
  if (Array.isArray(body.tools) && body.tools.some(tool => !clientTools.has(typeOf(tool)))) return true;
  return hasLink(body);
}

function typeOf(tool: unknown): unknown {
  return typeof tool === "object" && tool !== null && "type" in tool ? tool.type : undefined;
}

/** Walks without recursion: a body may be nested deep. */
function hasLink(body: unknown): boolean {
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const [name, item] of Object.entries(value)) {
      if (links.has(name) && typeof item === "string" && !item.startsWith("data:")) return true;
      waiting.push(item);
    }
  }
  return false;
}
