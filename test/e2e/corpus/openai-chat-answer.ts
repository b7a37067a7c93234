import { dataFrame, doneFrame, type RawAnswer } from "./raw-answer.ts";

export interface ChatAnswer {
  /** The dated snapshot, as named by the answer. */
  readonly model: string;
  readonly usage: object;
  readonly service_tier?: string;
  readonly says?: "text" | "tool call" | "audio";
}

const text = ["Grüße ", "aus ", "東京 🗼"];
const toolArguments = ['{"city":', '"Bern"}'];

const calling = (args: string) => ({
  id: "call_k3J9",
  type: "function",
  function: { name: "get_weather", arguments: args },
});

function message(says: ChatAnswer["says"]) {
  const common = { role: "assistant", refusal: null, annotations: [] };
  if (says === "tool call")
    return { ...common, content: null, tool_calls: [calling(toolArguments.join(""))] };
  if (says === "audio") {
    const audio = { id: "audio_5", data: "UklGRg==", expires_at: 1_793_000_000, transcript: "Guten Tag." };
    return { ...common, content: null, audio };
  }
  return { ...common, content: text.join("") };
}

function deltas(says: ChatAnswer["says"]): object[] {
  const first = { role: "assistant", content: "", refusal: null };
  if (says === "tool call") {
    return [
      { ...first, content: null, tool_calls: [{ index: 0, ...calling("") }] },
      ...toolArguments.map(args => ({ tool_calls: [{ index: 0, function: { arguments: args } }] })),
    ];
  }
  if (says === "audio") {
    return [first, { audio: { id: "audio_5", transcript: "Guten " } }, { audio: { data: "UklGRg==" } }];
  }
  return [first, ...text.map(content => ({ content }))];
}

/** An OpenAI chat completion. With `include_usage` every chunk has `usage: null` until the one before `[DONE]`. */
export function openaiChatAnswer({ model, usage, service_tier = "default", says }: ChatAnswer): RawAnswer {
  const common = {
    id: "chatcmpl-CorpusA1",
    created: 1_793_000_000,
    model,
    service_tier,
    system_fingerprint: "fp_c0ffee",
  };
  const finish_reason = says === "tool call" ? "tool_calls" : "stop";
  const chunk = (choices: object[], chunkUsage: object | null, obfuscation: string) =>
    dataFrame({ ...common, object: "chat.completion.chunk", choices, usage: chunkUsage, obfuscation });
  return {
    plain: JSON.stringify(
      {
        ...common,
        object: "chat.completion",
        choices: [{ index: 0, message: message(says), logprobs: null, finish_reason }],
        usage,
      },
      null,
      2,
    ),
    frames: [
      ...deltas(says).map((delta, at) =>
        chunk([{ index: 0, delta, logprobs: null, finish_reason: null }], null, "x9Q".repeat(at)),
      ),
      chunk([{ index: 0, delta: {}, logprobs: null, finish_reason }], null, "p"),
      chunk([], usage, ""),
      doneFrame,
    ],
  };
}
