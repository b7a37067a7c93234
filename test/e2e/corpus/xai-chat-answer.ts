import { dataFrame, doneFrame, type RawAnswer } from "./raw-answer.ts";

export interface XaiAnswer {
  readonly model: string;
  readonly usage: object;
  readonly service_tier?: string;
  readonly says?: "text" | "tool call";
}

const reasoning = ["The user ", "greets."];
const text = ["Grüezi ", "mitenand 🏔️"];

const call = {
  id: "call_44021873",
  function: { name: "get_weather", arguments: '{"city":"Bern"}' },
  type: "function",
};

/** An xAI chat completion: a choice has no `finish_reason` until its end, and tool calls are sent complete. */
export function xaiChatAnswer({ model, usage, service_tier, says }: XaiAnswer): RawAnswer {
  const common = {
    id: "5d0c7e3a-90be-4c52-a6f1-2b7de1c0aa19",
    created: 1_793_000_000,
    model,
    system_fingerprint: "fp_77aa01",
    ...(service_tier !== undefined && { service_tier }),
  };
  const callsTool = says === "tool call";
  const finish_reason = callsTool ? "tool_calls" : "stop";
  const chunk = (more: object) => dataFrame({ ...common, object: "chat.completion.chunk", ...more });
  const deltas = [
    ...reasoning.map((reasoning_content, at) => ({
      reasoning_content,
      ...(at === 0 && { role: "assistant" }),
    })),
    ...(callsTool ? [{ tool_calls: [{ ...call, index: 0 }] }] : text.map(content => ({ content }))),
  ];
  return {
    plain: JSON.stringify({
      ...common,
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: callsTool ? "" : text.join(""),
            reasoning_content: reasoning.join(""),
            ...(callsTool && { tool_calls: [call] }),
            refusal: null,
          },
          finish_reason,
        },
      ],
      usage,
    }),
    frames: [
      ...deltas.map(delta => chunk({ choices: [{ index: 0, delta }] })),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
      chunk({ choices: [], usage }),
      doneFrame,
    ],
  };
}
