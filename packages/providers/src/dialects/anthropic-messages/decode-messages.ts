import { fail } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { ToolResult, Turn } from "../../canonical/request.ts";
import {
  cacheControl,
  decodeAssistantBlock,
  decodeText,
  decodeUserBlock,
  listBlocks,
} from "./decode-content.ts";
import { readField, requireObject, requireString } from "./read-field.ts";

/** Here, tool results are part of user messages; in canonical form they are their own turn, before the rest. */
export function decodeMessages(system: unknown, messages: unknown): Turn[] {
  if (!Array.isArray(messages)) throw fail("invalid_request", "`messages` is required and must be an array");
  const turns: Turn[] = [];
  if (system !== undefined && system !== null) {
    const parts = listBlocks(system, "system").map(({ block, path }) => decodeText(block, path));
    if (parts.length > 0) turns.push({ role: "system", parts });
  }

  const callNames = new Map<string, string>();
  messages.forEach((value: unknown, index) => {
    const at = `messages[${index}]`;
    const message = requireObject(value, at);
    const blocks = listBlocks(message.content, `${at}.content`);
    switch (message.role) {
      case "system":
        turns.push({ role: "system", parts: blocks.map(({ block, path }) => decodeText(block, path)) });
        return;
      case "assistant": {
        const parts = blocks.map(({ block, path }) => decodeAssistantBlock(block, path));
        for (const part of parts) if (part.kind === "tool_call") callNames.set(part.id, part.name);
        turns.push({ role: "assistant", parts });
        return;
      }
      case "user": {
        const results = blocks.filter(({ block }) => block.type === "tool_result");
        const others = blocks.filter(({ block }) => block.type !== "tool_result");
        if (results.length > 0) {
          turns.push({
            role: "tool",
            results: results.map(({ block, path }) => decodeToolResult(block, path, callNames)),
          });
        }
        if (others.length > 0) {
          turns.push({
            role: "user",
            parts: others.flatMap(({ block, path }) => decodeUserBlock(block, path)),
          });
        }
        return;
      }
      default:
        throw fail("invalid_request", `\`${at}.role\` must be user, assistant or system`);
    }
  });
  return turns;
}

function decodeToolResult(
  block: JsonObject,
  path: string,
  callNames: ReadonlyMap<string, string>,
): ToolResult {
  const callId = requireString(block, "tool_use_id", path);
  const content = block.content;
  const blocks = content === undefined || content === null ? [] : listBlocks(content, `${path}.content`);
  return {
    callId,
    name: callNames.get(callId),
    content: blocks.flatMap(inner => decodeUserBlock(inner.block, inner.path)),
    isError: readField.boolean(block, "is_error", path) ?? false,
    ...cacheControl(block),
  };
}
