import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Call } from "../call.ts";
import type { AnswerPlan } from "../plan-answer.ts";
import { splitJson, splitText } from "../split-fragments.ts";
import { type ChatFrame, chatCallId, chatFinishReason } from "./chat-frame.ts";

interface ChatStreamOptions {
  /** null: the caller did not request it, and no chunk has the field. */
  readonly usage: JsonObject | null;
  readonly obfuscates: boolean;
}

export function chatFrames(
  call: Call,
  frame: ChatFrame,
  plans: readonly AnswerPlan[],
  options: ChatStreamOptions,
): string[] {
  const frames: string[] = [];
  const push = (choices: readonly JsonObject[], usage: JsonObject | null) => {
    const chunk = {
      id: frame.id,
      object: "chat.completion.chunk",
      created: frame.created,
      model: frame.model,
      service_tier: frame.serviceTier,
      system_fingerprint: frame.systemFingerprint,
      choices,
      ...(options.usage ? { usage } : {}),
      // Random padding hides token lengths from an eavesdropper.
      ...(options.obfuscates ? { obfuscation: padding(call, frames.length) } : {}),
    };
    frames.push(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  for (const [index, plan] of plans.entries()) {
    for (const delta of chatDeltas(call, plan, index)) {
      push([{ index, delta, logprobs: null, finish_reason: null }], null);
    }
    push([{ index, delta: {}, logprobs: null, finish_reason: chatFinishReason(plan) }], null);
  }
  if (options.usage) push([], options.usage);
  frames.push("data: [DONE]\n\n");
  return frames;
}

function chatDeltas(call: Call, plan: AnswerPlan, choice: number): JsonObject[] {
  if (plan.finish === "refusal") {
    const opening = { role: "assistant", content: null, refusal: "" };
    return [opening, ...splitText(plan.text, 1).map(refusal => ({ refusal }))];
  }
  if (plan.calls.length === 0) {
    const opening = { role: "assistant", content: "", refusal: null };
    return [opening, ...splitText(plan.text, 1).map(content => ({ content }))];
  }
  return plan.calls.flatMap((planned, index) => {
    const id = chatCallId(call, choice, index);
    const start = [{ index, id, type: "function", function: { name: planned.name, arguments: "" } }];
    const opening =
      index === 0
        ? { role: "assistant", content: null, tool_calls: start, refusal: null }
        : { tool_calls: start };
    const pieces = splitJson(JSON.stringify(planned.arguments));
    return [opening, ...pieces.map(piece => ({ tool_calls: [{ index, function: { arguments: piece } }] }))];
  });
}

function padding(call: Call, at: number): string {
  return call.ids.alphanumeric(`padding ${at}`, 2 + call.ids.below(`padding length ${at}`, 14));
}
