import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { paddedFrame, type RawAnswer } from "./raw-answer.ts";

export interface AnthropicAnswer {
  readonly model: string;
  /** The usage of the plain answer, which is also the final usage of a stream. */
  readonly usage: { readonly [field: string]: unknown };
  /** Differences in `message_start`. Its output count is always provisional. */
  readonly atStart?: object;
  /** Number of tool runs before the answer: each time the model reads everything again. */
  readonly rounds?: number;
  readonly says?: "text" | "thinking" | "tool call" | "web search" | "nothing";
  /** Instead of `says`: its blocks, and why it stopped. */
  readonly written?: {
    readonly content: readonly JsonObject[];
    readonly stopReason: string;
    readonly stopDetails?: object;
  };
  /** A stream has the whole message in `message_start`, and no `message_delta`. */
  readonly isWholeAtStart?: boolean;
}

interface Block {
  readonly whole: object;
  readonly start: object;
  readonly deltas: readonly object[];
}

const text = ["Bonjour ", "à tous 🥐"];

const textBlock: Block = {
  whole: { type: "text", text: text.join("") },
  start: { type: "text", text: "" },
  deltas: text.map(piece => ({ type: "text_delta", text: piece })),
};

const thinkingBlock: Block = {
  whole: { type: "thinking", thinking: "A greeting.", signature: "c2lnbmF0dXJl" },
  start: { type: "thinking", thinking: "", signature: "" },
  deltas: [
    { type: "thinking_delta", thinking: "A greeting." },
    { type: "signature_delta", signature: "c2lnbmF0dXJl" },
  ],
};

const inputDeltas = (...pieces: string[]) =>
  pieces.map(partial_json => ({ type: "input_json_delta", partial_json }));

/** In a stream, text and inputs follow in deltas; other blocks are whole from their start. */
function blockOf(whole: JsonObject): Block {
  if (typeof whole.text === "string")
    return { whole, start: { ...whole, text: "" }, deltas: [{ type: "text_delta", text: whole.text }] };
  if (whole.input === undefined) return { whole, start: whole, deltas: [] };
  return { whole, start: { ...whole, input: {} }, deltas: inputDeltas(JSON.stringify(whole.input)) };
}

const tool = { type: "tool_use", id: "toolu_01Corpus", name: "get_weather", caller: { type: "direct" } };
const toolBlock: Block = {
  whole: { ...tool, input: { city: "Bern" } },
  start: { ...tool, input: {} },
  deltas: inputDeltas("", '{"city": ', '"Bern"}'),
};

const search = { type: "server_tool_use", id: "srvtoolu_01Corpus", name: "web_search" };
const searchBlock: Block = {
  whole: { ...search, input: { query: "Bern" } },
  start: { ...search, input: {} },
  deltas: inputDeltas("", '{"query": "Bern"}'),
};
const found = {
  type: "web_search_tool_result",
  tool_use_id: search.id,
  content: [
    { type: "web_search_result", title: "Bern", url: "https://bern.example/", encrypted_content: "ZW5j" },
  ],
};
const foundBlock: Block = { whole: found, start: found, deltas: [] };

const blocksOf = {
  text: [textBlock],
  thinking: [thinkingBlock, textBlock],
  "tool call": [textBlock, toolBlock],
  "web search": [searchBlock, foundBlock, textBlock],
  nothing: [],
} as const satisfies Record<string, readonly Block[]>;

const stopReasons = {
  text: "end_turn",
  thinking: "end_turn",
  "tool call": "tool_use",
  "web search": "end_turn",
  nothing: "refusal",
};

/** Only sent at the start: the split by lifetime, and the service conditions. */
const startOnly = new Set(["cache_creation", "service_tier", "inference_geo", "speed"]);

/** An Anthropic message. The counts of `message_delta` replace those of `message_start`. */
export function anthropicAnswer({
  model,
  usage,
  atStart,
  rounds = 0,
  says = "text",
  written,
  isWholeAtStart = false,
}: AnthropicAnswer): RawAnswer {
  const loop = new Array<readonly Block[]>(rounds).fill([searchBlock, foundBlock]).flat();
  const blocks: readonly Block[] = [...loop, ...(written?.content.map(blockOf) ?? blocksOf[says])];
  const common = { id: "msg_01Corpus", type: "message", role: "assistant", model };
  const stop = {
    stop_reason: written?.stopReason ?? stopReasons[says],
    stop_sequence: null,
    stop_details: written?.stopDetails ?? null,
  };
  const whole = { ...common, content: blocks.map(block => block.whole), ...stop, usage };
  const { iterations: _, output_tokens_details: __, server_tool_use: ___, ...startUsage } = usage;
  const endUsage = Object.fromEntries(Object.entries(usage).filter(([name]) => !startOnly.has(name)));
  const events = [
    {
      type: "message_start",
      message: {
        ...common,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        usage: { ...startUsage, output_tokens: 3, ...atStart },
      },
    },
    { type: "ping" },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map(delta => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: stop, usage: endUsage },
    { type: "message_stop" },
  ];
  const wholeEvents = [{ type: "message_start", message: whole }, { type: "message_stop" }];
  return {
    plain: JSON.stringify(whole),
    frames: (isWholeAtStart ? wholeEvents : events).map(paddedFrame),
  };
}
