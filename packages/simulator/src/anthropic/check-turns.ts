import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { listOf, objectOf, textOf } from "../json-object.ts";
import { type AnthropicProblem, invalidRequest } from "./anthropic-error.ts";
import { contentBlocks } from "./read-messages-prompt.ts";

/** Text must not be empty, and the next turn must answer each call and nothing else. */
export function checkTurns(body: JsonObject): AnthropicProblem | null {
  const system = listOf(body.system).map(objectOf);
  if (system.some(isEmptyText)) return invalidRequest("system: text content blocks must be non-empty");
  const messages = listOf(body.messages).map(objectOf);
  if (messages.length === 0) return invalidRequest("messages: at least one message is required");
  const last = messages.length - 1;
  let open: ReadonlySet<unknown> = new Set();
  for (const [at, message] of mergeTurns(messages).entries()) {
    const problem = checkTurn(message, at, open);
    if (problem) return problem;
    open = idsOf(message, "tool_use");
  }
  if (open.size > 0) return unanswered(last);
  const final = messages[last];
  if (final?.role === "assistant" && /\s$/.test(textOf(contentBlocks(final).at(-1)?.text))) {
    return invalidRequest("messages: final assistant content cannot end with trailing whitespace");
  }
  return null;
}

function checkTurn(message: JsonObject, at: number, open: ReadonlySet<unknown>): AnthropicProblem | null {
  const role = textOf(message.role);
  if (!["user", "assistant", "system"].includes(role)) {
    return invalidRequest(`messages.${at}.role: Input should be 'user' or 'assistant'`);
  }
  const blocks = contentBlocks(message);
  if (blocks.length === 0)
    return invalidRequest(`messages.${at}: ${role} messages must have non-empty content`);
  if (blocks.some(isEmptyText)) return invalidRequest("messages: text content blocks must be non-empty");
  const answered = idsOf(message, "tool_result");
  for (const id of answered) {
    if (!open.has(id)) {
      return invalidRequest(
        `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
  }
  if ([...open].some(id => !answered.has(id))) return unanswered(at - 1);
  const firstOther = blocks.findIndex(block => block.type !== "tool_result");
  const lastResult = blocks.findLastIndex(block => block.type === "tool_result");
  if (firstOther >= 0 && firstOther < lastResult) {
    return invalidRequest(`messages.${at}: \`tool_result\` blocks must come first in the content`);
  }
  return null;
}

/** The real API treats adjacent messages of one role as one turn. */
function mergeTurns(messages: readonly JsonObject[]): JsonObject[] {
  const turns: JsonObject[] = [];
  for (const message of messages) {
    const before = turns.at(-1);
    if (before && before.role === message.role) {
      turns[turns.length - 1] = { ...before, content: [...contentBlocks(before), ...contentBlocks(message)] };
    } else turns.push(message);
  }
  return turns;
}

function idsOf(message: JsonObject, type: "tool_use" | "tool_result"): ReadonlySet<unknown> {
  const key = type === "tool_use" ? "id" : "tool_use_id";
  return new Set(
    contentBlocks(message)
      .filter(block => block.type === type)
      .map(block => block[key]),
  );
}

function isEmptyText(block: JsonObject): boolean {
  return block.type === "text" && textOf(block.text) === "";
}

function unanswered(at: number): AnthropicProblem {
  return invalidRequest(
    `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}
