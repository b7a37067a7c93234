import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { namedFrame, type RawAnswer } from "./raw-answer.ts";

export interface ResponsesAnswer {
  readonly model: string;
  readonly usage: object;
  readonly service_tier?: string;
  /** Items before the message: results of server tools. */
  readonly tools?: readonly object[];
  /** Instead of a message: functions that a program of an earlier answer calls. */
  readonly calls?: readonly (JsonObject & { readonly arguments: string })[];
  /** Other fields of the response. */
  readonly more?: object;
}

const text = ["Hej ", "allihopa 🌲"];

const message = {
  id: "msg_0corpus",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: text.join(""), annotations: [], logprobs: [] }],
};

/** An OpenAI or xAI response. Until its end the stream repeats it with the requested tier, and no usage. */
export function responsesAnswer({
  model,
  usage,
  service_tier,
  tools = [],
  calls,
  more: other,
}: ResponsesAnswer): RawAnswer {
  const response = (status: string, tier: string, more: object) => ({
    id: "resp_0corpus",
    object: "response",
    created_at: 1_793_000_000,
    status,
    error: null,
    incomplete_details: null,
    model,
    service_tier: tier,
    ...more,
  });
  const output = [...tools, ...(calls ?? [message])];
  const whole = response("completed", service_tier ?? "default", { output, usage, ...other });
  const running = response("in_progress", "auto", { output: [], usage: null });
  const events = [
    { type: "response.created", response: running },
    { type: "response.in_progress", response: running },
    ...tools.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
    ...(calls?.flatMap((call, at) => callEvents(call, tools.length + at)) ?? messageEvents(tools.length)),
    { type: "response.completed", response: whole },
  ];
  return {
    plain: JSON.stringify(whole, null, 2),
    frames: events.map((event, sequence_number) => namedFrame({ ...event, sequence_number })),
  };
}

function messageEvents(output_index: number) {
  const at = { item_id: message.id, output_index, content_index: 0 };
  return [
    {
      type: "response.output_item.added",
      output_index,
      item: { ...message, status: "in_progress", content: [] },
    },
    ...text.map(delta => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
    { type: "response.output_text.done", ...at, text: text.join("") },
    { type: "response.output_item.done", output_index, item: message },
  ];
}

function callEvents(item: JsonObject & { readonly arguments: string }, output_index: number) {
  return [
    { type: "response.output_item.added", output_index, item: { ...item, arguments: "" } },
    { type: "response.function_call_arguments.delta", output_index, delta: item.arguments },
    { type: "response.function_call_arguments.done", output_index, arguments: item.arguments },
    { type: "response.output_item.done", output_index, item },
  ];
}
