import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Conversation } from "../answer-conversation.ts";
import { type Call, epochSeconds } from "../call.ts";
import { fingerprint } from "../fingerprint.ts";
import { objectOf, textOf } from "../json-object.ts";
import { choiceCount } from "../openai/check-chat-request.ts";
import { readChatPrompt } from "../openai/read-chat-prompt.ts";
import { type AnswerPlan, planAnswer, planRefusal } from "../plan-answer.ts";
import { type Effort, isEffort } from "../prompt.ts";
import { splitText } from "../split-fragments.ts";
import { xaiErrorBody, xaiFailures } from "./xai-error.ts";
import { xaiChatUsage } from "./xai-usage.ts";

export function xaiEffort(model: string, asked: unknown): Effort | null {
  const reasons = /^grok-(3-mini|[4-9]|code)/.test(model) && !model.includes("non-reasoning");
  if (!reasons || asked === "none") return null;
  return isEffort(asked) ? asked : "medium";
}

export function chatConversation(call: Call, body: JsonObject): Conversation {
  const prompt = readChatPrompt(body, xaiEffort(textOf(body.model), body.reasoning_effort));
  const plans = (refuses: boolean) =>
    Array.from({ length: choiceCount(body) }, (_, at) =>
      refuses ? planRefusal(prompt) : planAnswer(prompt, at),
    );
  const systemFingerprint = `fp_${fingerprint(prompt.model).hex("system", 10)}`;
  const answer = (object: string, fields: JsonObject) => ({
    id: call.ids.uuid("id"),
    object,
    created: epochSeconds(call),
    model: prompt.model,
    ...fields,
    system_fingerprint: systemFingerprint,
  });
  const frame = (fields: JsonObject) =>
    `data: ${JSON.stringify(answer("chat.completion.chunk", fields))}\n\n`;
  return {
    userText: prompt.lastUserText,
    stream: body.stream === true,
    whole(refuses) {
      const choices = plans(refuses).map((plan, index) => ({
        index,
        message: chatMessage(call, plan, index),
        finish_reason: finishReason(plan),
      }));
      const usage = xaiChatUsage(prompt.model, plans(refuses));
      return JSON.stringify(answer("chat.completion", { choices, usage }));
    },
    frames(refuses) {
      const frames: string[] = [];
      for (const [index, plan] of plans(refuses).entries()) {
        // Before the end, `finish_reason` is absent, not null.
        for (const delta of chatDeltas(call, plan, index))
          frames.push(frame({ choices: [{ index, delta }] }));
        frames.push(frame({ choices: [{ index, delta: {}, finish_reason: finishReason(plan) }] }));
      }
      if (objectOf(body.stream_options).include_usage === true) {
        frames.push(frame({ choices: [], usage: xaiChatUsage(prompt.model, plans(refuses)) }));
      }
      return [...frames, "data: [DONE]\n\n"];
    },
    failureFrames: () => [`data: ${xaiErrorBody(xaiFailures.internal)}\n\n`],
  };
}

function finishReason(plan: AnswerPlan): string {
  switch (plan.finish) {
    case "stop":
    case "stop_sequence":
      return "stop";
    case "refusal":
      return "content_filter";
    case "length":
    case "tool_calls":
      return plan.finish;
  }
}

/** xAI's filter applies before any text: a refused answer is empty. */
function visibleText(plan: AnswerPlan): string {
  return plan.finish === "refusal" ? "" : plan.text;
}

function chatMessage(call: Call, plan: AnswerPlan, choice: number): JsonObject {
  const calls = plan.calls.map((_, at) => toolCall(call, plan, choice, at));
  return {
    role: "assistant",
    content: visibleText(plan),
    ...(plan.reasoning === "" ? {} : { reasoning_content: plan.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    refusal: null,
  };
}

function toolCall(call: Call, plan: AnswerPlan, choice: number, at: number): JsonObject {
  const planned = plan.calls[at];
  return {
    id: `call_${call.ids.hex(`call ${choice} ${at}`, 8)}`,
    function: { name: planned?.name, arguments: JSON.stringify(planned?.arguments) },
    type: "function",
  };
}

/** Each tool call is sent complete, in one chunk. The very first chunk names the role, after its content. */
function chatDeltas(call: Call, plan: AnswerPlan, choice: number): JsonObject[] {
  const deltas: JsonObject[] = [
    ...splitText(plan.reasoning, 1).map(piece => ({ reasoning_content: piece })),
    ...splitText(visibleText(plan), 1).map(piece => ({ content: piece })),
    ...plan.calls.map((_, index) => ({ tool_calls: [{ ...toolCall(call, plan, choice, index), index }] })),
  ];
  const [first, ...rest] = deltas;
  return [{ ...(first ?? { content: "" }), role: "assistant" }, ...rest];
}
