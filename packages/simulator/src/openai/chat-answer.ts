import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Conversation } from "../answer-conversation.ts";
import { type Call, epochSeconds } from "../call.ts";
import { fingerprint } from "../fingerprint.ts";
import { objectOf, textOf } from "../json-object.ts";
import { type AnswerPlan, planAnswer, planRefusal } from "../plan-answer.ts";
import { type ChatFrame, chatCallId, chatFinishReason } from "./chat-frame.ts";
import { chatFrames } from "./chat-frames.ts";
import { chatUsage } from "./chat-usage.ts";
import { choiceCount } from "./check-chat-request.ts";
import { datedModel } from "./dated-model.ts";
import { isReasoningModel, reasoningEffort } from "./model-traits.ts";
import { openaiErrorBody } from "./openai-error.ts";
import { openaiFailures } from "./openai-wire.ts";
import { readChatPrompt } from "./read-chat-prompt.ts";

export function chatConversation(call: Call, body: JsonObject): Conversation {
  const prompt = readChatPrompt(body, reasoningEffort(textOf(body.model), body.reasoning_effort));
  const frame: ChatFrame = {
    id: `chatcmpl-${call.ids.alphanumeric("id", 29)}`,
    created: epochSeconds(call),
    model: datedModel(prompt.model),
    serviceTier: servedTier(body.service_tier),
    systemFingerprint: isReasoningModel(prompt.model)
      ? null
      : `fp_${fingerprint(prompt.model).hex("system", 10)}`,
  };
  const plans = (refuses: boolean) =>
    Array.from({ length: choiceCount(body) }, (_, at) =>
      refuses ? planRefusal(prompt) : planAnswer(prompt, at),
    );
  const options = objectOf(body.stream_options);
  return {
    userText: prompt.lastUserText,
    stream: body.stream === true,
    whole: refuses => chatBody(call, frame, plans(refuses), chatUsage(body, plans(refuses))),
    frames: refuses =>
      chatFrames(call, frame, plans(refuses), {
        usage: options.include_usage === true ? chatUsage(body, plans(refuses)) : null,
        obfuscates: options.include_obfuscation !== false,
      }),
    failureFrames: () => [`data: ${JSON.stringify(openaiErrorBody(openaiFailures.internal))}\n\n`],
  };
}

/** The answer names the actual service tier: `auto` becomes `default`, `fast` becomes `priority`. */
export function servedTier(asked: unknown): string {
  if (asked === "fast" || asked === "priority") return "priority";
  return asked === "flex" || asked === "scale" ? asked : "default";
}

function chatBody(call: Call, frame: ChatFrame, plans: readonly AnswerPlan[], usage: JsonObject): string {
  const body = {
    id: frame.id,
    object: "chat.completion",
    created: frame.created,
    model: frame.model,
    choices: plans.map((plan, index) => ({
      index,
      message: chatMessage(call, plan, index),
      // Whole answers of reasoning models lack this field; other models send null.
      ...(isReasoningModel(frame.model) ? {} : { logprobs: null }),
      finish_reason: chatFinishReason(plan),
    })),
    usage,
    service_tier: frame.serviceTier,
    system_fingerprint: frame.systemFingerprint,
  };
  return `${JSON.stringify(body, null, 2)}\n`;
}

function chatMessage(call: Call, plan: AnswerPlan, choice: number): JsonObject {
  if (plan.finish === "refusal") {
    return { role: "assistant", content: null, refusal: plan.text, annotations: [] };
  }
  if (plan.calls.length === 0) {
    return { role: "assistant", content: plan.text, refusal: null, annotations: [] };
  }
  const calls = plan.calls.map((planned, at) => ({
    id: chatCallId(call, choice, at),
    type: "function",
    function: { name: planned.name, arguments: JSON.stringify(planned.arguments) },
  }));
  return { role: "assistant", content: null, tool_calls: calls, refusal: null, annotations: [] };
}
