import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { countTokens, MEDIA_TOKENS } from "../count-tokens.ts";
import { listOf, objectOf, textOf } from "../json-object.ts";
import { blocksOf, contentBlocks } from "./read-messages-prompt.ts";

export interface InputCount {
  readonly total: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

/** One piece of the prompt, in the cache's order: tools, system, messages. */
interface Segment {
  readonly tokens: number;
  readonly marker: "5m" | "1h" | null;
  /** Before the model's first turn: an earlier call of this conversation already sent it. */
  readonly sentBefore: boolean;
}

const TOKENS_PER_MESSAGE = 3;

/**
 * The simulator has no cache, it only reads the request: marked content before the model's first turn counts as read
 * once such a turn exists; everything else up to the last marker is written, with the lifetime of the next marker.
 * Unlike the real API it has no minimum length, so that short prompts can exercise it.
 */
export function countInput(body: JsonObject): InputCount {
  const segments = readSegments(body);
  const lastMarked = segments.findLastIndex(segment => segment.marker !== null);
  const lastRead = segments.findLastIndex(segment => segment.marker !== null && segment.sentBefore);
  const count = { total: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  for (const [at, { tokens }] of segments.entries()) {
    count.total += tokens;
    if (at > lastMarked) continue;
    if (at <= lastRead) count.cacheRead += tokens;
    else if (segments.slice(at).find(segment => segment.marker !== null)?.marker === "1h")
      count.cacheWrite1h += tokens;
    else count.cacheWrite5m += tokens;
  }
  return count;
}

function readSegments(body: JsonObject): Segment[] {
  const messages = listOf(body.messages).map(objectOf);
  const firstAnswer = messages.findIndex(message => message.role === "assistant");
  const hasAnswer = firstAnswer >= 0;
  const segments: Segment[] = [];
  for (const tool of listOf(body.tools).map(objectOf)) {
    const { cache_control: control, ...definition } = tool;
    const tokens = countTokens(JSON.stringify(definition));
    segments.push({ tokens, marker: markerOf(control), sentBefore: hasAnswer });
  }
  for (const block of blocksOf(body.system)) {
    segments.push({
      tokens: blockTokens(block),
      marker: markerOf(block.cache_control),
      sentBefore: hasAnswer,
    });
  }
  for (const [at, message] of messages.entries()) {
    for (const [index, block] of contentBlocks(message).entries()) {
      const tokens = blockTokens(block) + (index === 0 ? TOKENS_PER_MESSAGE : 0);
      segments.push({
        tokens,
        marker: markerOf(block.cache_control),
        sentBefore: hasAnswer && at < firstAnswer,
      });
    }
  }
  const last = segments.at(-1);
  const automatic = markerOf(body.cache_control);
  if (last && automatic && !last.marker) segments[segments.length - 1] = { ...last, marker: automatic };
  return segments;
}

function markerOf(control: unknown): "5m" | "1h" | null {
  if (!isJsonObject(control)) return null;
  return control.ttl === "1h" ? "1h" : "5m";
}

function blockTokens(block: JsonObject): number {
  switch (block.type) {
    case "text":
      return countTokens(textOf(block.text));
    case "thinking":
      return countTokens(textOf(block.thinking));
    case "tool_use":
      return countTokens(textOf(block.name)) + countTokens(JSON.stringify(block.input ?? {}));
    case "tool_result":
      return blocksOf(block.content).reduce((sum, inner) => sum + blockTokens(inner), 1);
    case "image":
    case "document":
      return MEDIA_TOKENS;
    default:
      return 1;
  }
}
