import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Call } from "../call.ts";
import { listOf, objectOf, textOf } from "../json-object.ts";
import type { AnswerPlan } from "../plan-answer.ts";
import { splitJson, splitText } from "../split-fragments.ts";
import { outputItems, outputStatus, type ResponsesHost, responseObject } from "./response-object.ts";

type Emit = (type: string, fields: JsonObject) => void;

export function responseFrames(
  call: Call,
  host: ResponsesHost,
  body: JsonObject,
  plan: AnswerPlan,
): string[] {
  const frames: string[] = [];
  const emit: Emit = (type, fields) => frames.push(responseFrame(type, frames.length, fields));
  const started = responseObject(call, host, body, { status: "in_progress", output: [], plan: null });
  emit("response.created", { response: started });
  emit("response.in_progress", { response: started });
  const output = outputItems(call, host, body, plan);
  for (const [index, item] of output.entries()) emitItem(call, emit, item, index);
  const status = outputStatus(plan);
  emit(`response.${status}`, { response: responseObject(call, host, body, { status, output, plan }) });
  return frames;
}

/** As recorded: an `error` event, then the failed response itself. */
export function failedFrames(
  call: Call,
  host: ResponsesHost,
  body: JsonObject,
  framesSent: number,
): string[] {
  const message = "The server had an error while processing your request.";
  const response = responseObject(call, host, body, {
    status: "failed",
    output: [],
    plan: null,
    error: { code: "server_error", message },
  });
  const error = { type: "server_error", code: "server_error", message, param: null };
  return [
    responseFrame("error", framesSent, { error }),
    responseFrame("response.failed", framesSent + 1, { response }),
  ];
}

function responseFrame(type: string, sequence: number, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`;
}

function emitItem(call: Call, emit: Emit, item: JsonObject, index: number): void {
  if (item.type === "message") emitMessage(call, emit, item, index);
  else if (item.type === "function_call") emitFunctionCall(call, emit, item, index);
  else emitReasoning(call, emit, item, index);
}

function emitMessage(call: Call, emit: Emit, item: JsonObject, index: number): void {
  const part = objectOf(listOf(item.content)[0]);
  const refuses = part.type === "refusal";
  const text = textOf(refuses ? part.refusal : part.text);
  const at = { item_id: item.id, output_index: index, content_index: 0 };
  const name = refuses ? "response.refusal" : "response.output_text";
  const logprobs = refuses ? {} : { logprobs: [] };
  const whole = refuses ? { refusal: text } : { text };
  emit("response.output_item.added", {
    output_index: index,
    item: { ...item, status: "in_progress", content: [] },
  });
  emit("response.content_part.added", {
    ...at,
    part: { ...part, ...(refuses ? { refusal: "" } : { text: "" }) },
  });
  for (const [piece, delta] of splitText(text, 1).entries()) {
    emit(`${name}.delta`, { ...at, delta, ...logprobs, obfuscation: padding(call, index, piece) });
  }
  emit(`${name}.done`, { ...at, ...whole, ...logprobs });
  emit("response.content_part.done", { ...at, part });
  emit("response.output_item.done", { output_index: index, item });
}

function emitFunctionCall(call: Call, emit: Emit, item: JsonObject, index: number): void {
  const at = { item_id: item.id, output_index: index };
  const added = { ...item, status: "in_progress", arguments: "" };
  emit("response.output_item.added", { output_index: index, item: added });
  for (const [piece, delta] of splitJson(textOf(item.arguments)).entries()) {
    emit("response.function_call_arguments.delta", {
      ...at,
      delta,
      obfuscation: padding(call, index, piece),
    });
  }
  emit("response.function_call_arguments.done", { ...at, name: item.name, arguments: item.arguments });
  emit("response.output_item.done", { output_index: index, item });
}

function emitReasoning(call: Call, emit: Emit, item: JsonObject, index: number): void {
  const part = objectOf(listOf(item.summary)[0]);
  emit("response.output_item.added", { output_index: index, item: { ...item, summary: [] } });
  if (part.type === "summary_text") {
    const at = { item_id: item.id, output_index: index, summary_index: 0 };
    emit("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } });
    for (const [piece, delta] of splitText(textOf(part.text), 2).entries()) {
      emit("response.reasoning_summary_text.delta", {
        ...at,
        delta,
        obfuscation: padding(call, index, piece),
      });
    }
    emit("response.reasoning_summary_text.done", { ...at, text: part.text });
    emit("response.reasoning_summary_part.done", { ...at, part });
  }
  emit("response.output_item.done", { output_index: index, item });
}

function padding(call: Call, item: number, piece: number): string {
  const label = `padding ${item} ${piece}`;
  return call.ids.alphanumeric(label, 2 + call.ids.below(`${label} length`, 14));
}
