import { isJsonObject, type JsonObject, listOf } from "@tollgate/core/wire/json-fields";

const ephemeral = { type: "ephemeral" };

/**
 * Marks what repeats from call to call, so that Anthropic caches it: the system text and the tools, or without either
 * the user's messages before the newest. At most two marks of the four that Anthropic accepts. A prompt with its own
 * mark is left alone: its author knows better.
 */
export function addCacheHints(body: JsonObject): JsonObject {
  if (hasMark(body)) return body;
  // Only in very long bodies: re-encoding would round an order id in a tool's arguments.
  if ([body.system, body.tools, body.messages].some(holdsRoundedNumber)) return body;
  const system = markSystem(body.system);
  const tools = markTools(body.tools);
  if (system === null && tools === null) {
    const messages = markMessages(body.messages);
    return messages === null ? body : { ...body, messages };
  }
  return { ...body, ...(system !== null && { system }), ...(tools !== null && { tools }) };
}

function hasMark(body: JsonObject): boolean {
  return (
    isMarked(body) ||
    blocksOf(body.system).some(isMarked) ||
    blocksOf(body.tools).some(isMarked) ||
    blocksOf(body.messages).some(({ content }) =>
      blocksOf(content).some(block => isMarked(block) || blocksOf(block.content).some(isMarked)),
    )
  );
}

function isMarked(fields: JsonObject): boolean {
  return fields.cache_control !== undefined && fields.cache_control !== null;
}

function blocksOf(value: unknown): JsonObject[] {
  return (listOf(value) ?? []).filter(isJsonObject);
}

function markSystem(system: unknown): unknown[] | null {
  if (typeof system === "string") return isBlank(system) ? null : [markedText(system)];
  return markLast(listOf(system), canBeMarked);
}

/** A tool that is loaded only on search is not part of the prefix and takes no mark. */
function markTools(tools: unknown): unknown[] | null {
  return markLast(listOf(tools), tool => tool.defer_loading !== true);
}

function markLast(
  list: readonly unknown[] | undefined,
  takesMark: (block: JsonObject) => boolean,
): unknown[] | null {
  const at = list?.findLastIndex(block => isJsonObject(block) && takesMark(block)) ?? -1;
  const block = list?.[at];
  if (list === undefined || !isJsonObject(block)) return null;
  return list.with(at, { ...block, cache_control: ephemeral });
}

/** The newest block is a new question each time; everything before it was sent before, or will be again. */
function markMessages(value: unknown): unknown[] | null {
  const messages = listOf(value) ?? [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (!isJsonObject(message) || message.role !== "user") continue;
    const isNewest = at === messages.length - 1;
    const content = markContent(message.content, isNewest);
    if (content !== null) return messages.with(at, { ...message, content });
  }
  return null;
}

function markContent(content: unknown, isNewest: boolean): unknown[] | null {
  if (typeof content === "string") return isNewest || isBlank(content) ? null : [markedText(content)];
  const blocks = listOf(content);
  if (blocks === undefined) return null;
  const marked = markLast(isNewest ? blocks.slice(0, -1) : blocks, canBeMarked);
  if (marked === null) return null;
  return isNewest ? [...marked, ...blocks.slice(-1)] : marked;
}

/** Anthropic rejects a mark on an empty text. */
function canBeMarked(block: JsonObject): boolean {
  if (block.type === "text") return typeof block.text === "string" && !isBlank(block.text);
  return block.type === "image" || block.type === "document" || block.type === "tool_result";
}

function markedText(text: string): JsonObject {
  return { type: "text", text, cache_control: ephemeral };
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Numbers parsed with all their digits are objects, so they are not found here. */
function holdsRoundedNumber(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsRoundedNumber);
}
