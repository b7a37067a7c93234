import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Conversation } from "../answer-conversation.ts";
import type { Call } from "../call.ts";
import { objectOf, textOf } from "../json-object.ts";
import { type AnswerPlan, planAnswer, planRefusal } from "../plan-answer.ts";
import { anthropicFailures } from "./anthropic-error.ts";
import { claudeVersion, datedClaude } from "./claude-version.ts";
import { countInput, type InputCount } from "./count-input.ts";
import { messageFrames } from "./message-frames.ts";
import { readMessagesPrompt } from "./read-messages-prompt.ts";

/** `answered` is called with every answer. */
export function messagesConversation(
  call: Call,
  body: JsonObject,
  answered: (message: JsonObject) => void = () => {},
): Conversation {
  const input = countInput(body);
  const prompt = readMessagesPrompt(body, input.total);
  const message = (refuses: boolean) => {
    const plan = refuses ? planRefusal(prompt) : planAnswer(prompt);
    const written = {
      model: datedClaude(prompt.model),
      id: `msg_01${call.ids.alphanumeric("id", 22)}`,
      type: "message",
      role: "assistant",
      content: refuses ? [] : contentOf(call, body, plan),
      stop_reason: stopReason(plan),
      stop_sequence: plan.stopSequence,
      stop_details: refuses ? { type: "refusal", category: null, explanation: plan.text } : null,
      usage: messageUsage(body, input, refuses ? null : plan),
    };
    answered(written);
    return written;
  };
  return {
    userText: prompt.lastUserText,
    stream: body.stream === true,
    whole: refuses => JSON.stringify(message(refuses)),
    frames: refuses => messageFrames(call, message(refuses)),
    failureFrames() {
      const { type, message: sentence } = anthropicFailures.overload;
      return [
        `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message: sentence } })}\n\n`,
      ];
    },
  };
}

function contentOf(call: Call, body: JsonObject, plan: AnswerPlan): JsonObject[] {
  const content: JsonObject[] = [];
  if (plan.reasoning !== "") {
    // Omitted thinking still has its signature: without it the next turn would be rejected.
    const omitted = objectOf(body.thinking).display === "omitted";
    const signature = `${call.ids.alphanumeric("signature", 180)}==`;
    content.push({ type: "thinking", thinking: omitted ? "" : plan.reasoning, signature });
  }
  if (plan.text !== "") content.push({ type: "text", text: plan.text });
  for (const [at, planned] of plan.calls.entries()) {
    content.push({
      type: "tool_use",
      id: `toolu_01${call.ids.alphanumeric(`call ${at}`, 22)}`,
      name: planned.name,
      input: planned.arguments,
      caller: { type: "direct" },
    });
  }
  return content;
}

function stopReason(plan: AnswerPlan): string {
  switch (plan.finish) {
    case "stop":
      return "end_turn";
    case "length":
      return "max_tokens";
    case "tool_calls":
      return "tool_use";
    case "stop_sequence":
    case "refusal":
      return plan.finish;
  }
}

/** `input_tokens` excludes cache reads and writes; `output_tokens` includes thinking. */
function messageUsage(body: JsonObject, input: InputCount, plan: AnswerPlan | null): JsonObject {
  const written = input.cacheWrite5m + input.cacheWrite1h;
  const isNew = claudeVersion(textOf(body.model)) >= 406;
  return {
    input_tokens: input.total - input.cacheRead - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: input.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: input.cacheWrite5m,
      ephemeral_1h_input_tokens: input.cacheWrite1h,
    },
    output_tokens: plan ? plan.visibleTokens + plan.reasoningTokens : 1,
    ...(isNew && plan && plan.reasoningTokens > 0
      ? { output_tokens_details: { thinking_tokens: plan.reasoningTokens } }
      : {}),
    service_tier: "standard",
    inference_geo: isNew ? (body.inference_geo ?? "global") : "not_available",
    ...(body.speed === "fast" ? { speed: "fast" } : {}),
  };
}
