import type { ComparedAnswer, ComparedToolCall } from "@tollgate/core/verification/compared-call";
import { jsonObjectOf, listOf } from "@tollgate/core/wire/json-fields";
import { anthropic } from "../anthropic/provider.ts";
import type { AnswerEvent, CanonicalAnswer, Finish } from "../canonical/answer.ts";
import type { DialectId } from "../dialect.ts";
import { openai } from "../openai/provider.ts";
import { SseSplitter } from "../sse.ts";
import { comparedResponsesAnswer } from "./compared-responses.ts";

/** An answer in the client's dialect, and whether it was cut by its output limit. */
interface ReadAnswer {
  readonly answer: ComparedAnswer;
  readonly isCut: boolean;
}

/** A dialect is its own provider's format, so that provider's codec reads it. */
const codecs = {
  "openai-chat": openai.conversation,
  "anthropic-messages": anthropic.conversation,
} as const;

/** An unreadable answer is a failed one. null: it has images, which no grader sees. */
export function readComparedAnswer(dialect: DialectId, text: string, isStream: boolean): ReadAnswer | null {
  try {
    if (dialect === "openai-responses") return readResponses(text, isStream);
    if (dialect === "openai-embeddings") return failed;
    const codec = codecs[dialect];
    const bodies: readonly unknown[] = isStream ? framesOf(text) : [JSON.parse(text)];
    if (bodies.some(hasImages)) return null;
    if (!isStream) return fromCanonical(codec.decodeAnswer(bodies[0]));
    const decoder = codec.streamDecoder();
    const events = bodies.flatMap(frame => decoder.decode(frame));
    return fromEvents([...events, ...decoder.end()]);
  } catch {
    return failed;
  }
}

const failed: ReadAnswer = { answer: { kind: "failed" }, isCut: false };

/** A chat answer, or a frame of one, with images as this gateway returns them. */
function hasImages(body: unknown): boolean {
  const choice = jsonObjectOf(listOf(jsonObjectOf(body)?.choices)?.[0]);
  const message = jsonObjectOf(choice?.message) ?? jsonObjectOf(choice?.delta);
  return (listOf(message?.images) ?? []).length > 0;
}

function readResponses(text: string, isStream: boolean): ReadAnswer {
  const last = isStream ? framesOf(text).map(jsonObjectOf).findLast(hasResponse)?.response : JSON.parse(text);
  const reason = jsonObjectOf(jsonObjectOf(last)?.incomplete_details)?.reason;
  return { answer: comparedResponsesAnswer(last), isCut: reason === "max_output_tokens" };
}

function hasResponse(frame: ReturnType<typeof jsonObjectOf>): boolean {
  return frame?.type === "response.completed" || frame?.type === "response.incomplete";
}

function framesOf(text: string): unknown[] {
  const splitter = new SseSplitter();
  const frames = splitter.push(new TextEncoder().encode(text));
  const rest = splitter.end();
  return [...frames, ...(rest ? [rest] : [])].flatMap(({ data, oversized }) =>
    data === null || data === "[DONE]" || oversized !== undefined ? [] : [JSON.parse(data) as unknown],
  );
}

function fromCanonical({ parts, finish }: CanonicalAnswer): ReadAnswer {
  const texts: string[] = [];
  const toolCalls: ComparedToolCall[] = [];
  let isRefused = false;
  for (const part of parts) {
    if (part.kind === "text") texts.push(part.text);
    if (part.kind === "refusal") isRefused = true;
    if (part.kind === "tool_call") toolCalls.push({ name: part.name, arguments: part.arguments });
  }
  return conclude(texts.join(""), toolCalls, finish, isRefused);
}

function fromEvents(events: readonly AnswerEvent[]): ReadAnswer {
  let text = "";
  let isRefused = false;
  let finish: Finish | null = null;
  const toolCalls: { name: string; arguments: string }[] = [];
  for (const event of events) {
    switch (event.kind) {
      case "text":
        text += event.text;
        break;
      case "refusal":
        isRefused = true;
        break;
      case "tool_start":
        toolCalls[event.index] = { name: event.name, arguments: "" };
        break;
      case "tool_arguments": {
        const call = toolCalls[event.index];
        if (call) call.arguments += event.fragment;
        break;
      }
      case "finish":
        finish = event.finish;
        break;
      case "error":
        return failed;
    }
  }
  if (finish === null) return failed;
  const calls = toolCalls.map(call => (call.arguments === "" ? { ...call, arguments: "{}" } : call));
  return conclude(text, calls, finish, isRefused);
}

function conclude(
  text: string,
  toolCalls: readonly ComparedToolCall[],
  finish: Finish,
  isRefused: boolean,
): ReadAnswer {
  if (finish === "error") return failed;
  if (isRefused || finish === "refusal" || finish === "content_filter")
    return { answer: { kind: "refused" }, isCut: false };
  return { answer: { kind: "given", text, toolCalls }, isCut: finish === "length" };
}
