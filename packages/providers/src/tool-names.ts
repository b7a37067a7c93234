import type { AnswerEvent, CanonicalAnswer } from "./canonical/answer.ts";
import type { AssistantPart, CanonicalRequest, Turn } from "./canonical/request.ts";

const HASH_CHARACTERS = 8;
/** The shortest maximum of all providers. */
const MAX_CHARACTERS = 64;

/**
 * The names of one request's tools as its provider accepts them. MCP clients build long names; one that the provider
 * would reject is replaced by a similar one, the same in every turn so that the prompt stays cached, and the client sees
 * only its own.
 */
export class ToolNames {
  readonly #originals = new Map<string, string>();

  constructor(private readonly accepted: RegExp) {}

  inRequest(request: CanonicalRequest): CanonicalRequest {
    const { tools, toolChoice, turns } = request;
    return {
      ...request,
      turns: turns.map(turn => this.#inTurn(turn)),
      ...(tools !== undefined && { tools: tools.map(tool => ({ ...tool, name: this.#replace(tool.name) })) }),
      ...(toolChoice?.mode === "tool" && {
        toolChoice: { mode: "tool", name: this.#replace(toolChoice.name) },
      }),
    };
  }

  inAnswer(answer: CanonicalAnswer): CanonicalAnswer {
    if (this.#originals.size === 0) return answer;
    return {
      ...answer,
      parts: answer.parts.map(part =>
        part.kind === "tool_call" ? { ...part, name: this.#restore(part.name) } : part,
      ),
    };
  }

  inEvents(events: AnswerEvent[]): AnswerEvent[] {
    if (this.#originals.size === 0) return events;
    return events.map(event =>
      event.kind === "tool_start" ? { ...event, name: this.#restore(event.name) } : event,
    );
  }

  #inTurn(turn: Turn): Turn {
    if (turn.role === "assistant") return { ...turn, parts: turn.parts.map(part => this.#inPart(part)) };
    if (turn.role !== "tool") return turn;
    const results = turn.results.map(result =>
      result.name === undefined ? result : { ...result, name: this.#replace(result.name) },
    );
    return { ...turn, results };
  }

  #inPart(part: AssistantPart): AssistantPart {
    return part.kind === "tool_call" ? { ...part, name: this.#replace(part.name) } : part;
  }

  #replace(name: string): string {
    if (this.accepted.test(name)) return name;
    const hash = new Bun.CryptoHasher("sha256").update(name).digest("hex").slice(0, HASH_CHARACTERS);
    const similar = name.replace(/[^a-zA-Z0-9_-]/g, "_").replace(/^(?![a-zA-Z_])/, "_");
    const replaced = `${similar.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1)}_${hash}`;
    this.#originals.set(replaced, name);
    return replaced;
  }

  #restore(name: string): string {
    return this.#originals.get(name) ?? name;
  }
}
