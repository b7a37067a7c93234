import { inputTokens, outputTokens, type Usage } from "@tollgate/core/money/usage";
import { measurePrompt } from "@tollgate/core/pricing/measure-prompt";
import type { PromptSize } from "@tollgate/core/pricing/prompt-size";
import type { ProviderId } from "@tollgate/core/provider-id";
import {
  countOf,
  isJsonObject,
  type JsonObject,
  jsonObjectOf,
  listOf,
  nameOf,
} from "@tollgate/core/wire/json-fields";
import { plausibleReading } from "@tollgate/gateway/pricing/plausible-reading";
import type { Endpoint } from "@tollgate/gateway/request/routed";
import type { RequestSummary } from "@tollgate/providers/dialect";
import { anthropicMessages } from "@tollgate/providers/dialects/anthropic-messages/dialect";
import { openaiChat } from "@tollgate/providers/dialects/openai-chat/dialect";
import { openaiResponses } from "@tollgate/providers/dialects/openai-responses/dialect";
import type { Meter, Reading } from "@tollgate/providers/meter";
import type { Provider } from "@tollgate/providers/provider";
import { providers } from "@tollgate/providers/registry";
import { SseSplitter } from "@tollgate/providers/sse";
import { tokensWhenSent, type WrittenTokens } from "./timeline.ts";

/** A stream as recorded: the provider's bytes, and the request if it was stored too. */
export interface RecordedStream {
  readonly name: string;
  readonly provider: ProviderId;
  readonly sse: Uint8Array;
  readonly request: string | null;
}

/** A complete stream, metered frame by frame. */
export interface Recording {
  readonly name: string;
  readonly provider: Provider;
  readonly model: string;
  readonly endpoint: Endpoint;
  readonly body: JsonObject;
  readonly summary: RequestSummary;
  /** null: the request was not recorded. */
  readonly prompt: PromptSize | null;
  /** The provider searches, runs code or compacts the prompt: the request does not show the whole input. */
  readonly usesServerTools: boolean;
  /** The meter's reading after each frame; the first is before any frame. */
  readonly readings: readonly Reading[];
  /** Tokens generated when each frame was sent. */
  readonly whenSent: readonly number[];
  readonly final: Reading;
  readonly usage: Usage;
  readonly written: WrittenTokens;
}

/** Why the stream cannot be measured. */
export type Unusable = { readonly why: string };

const serverTools =
  /"type"\s*:\s*"(server_tool_use|mcp_tool_use|web_search_call|file_search_call|code_interpreter_call|image_generation_call|mcp_call|mcp_list_tools|tool_search_call|compaction)"|"(executableCode|groundingMetadata|toolUsePromptTokenCount)"/;

export function readRecording(stream: RecordedStream): Recording | Unusable {
  const frames = framesOf(stream.sse);
  const provider = providers[stream.provider];
  const isResponses = frames.some(frame => nameOf(frame.type)?.startsWith("response.") === true);
  const meter = isResponses ? provider.native["openai-responses"]?.meter() : provider.conversation.meter();
  if (meter === undefined) return { why: `no meter for the Responses API of ${stream.provider}` };
  const readings = [plausibleReading(meter), ...frames.map(frame => readingAfter(meter, frame))];
  const final = readings.at(-1);
  if (final === undefined || final.usage === null) return { why: "it does not tell its usage" };
  const { usage } = final;
  const total = outputTokens(usage);
  if (total === 0 || inputTokens(usage) === 0) return { why: "it has no input or no output" };
  if (final.additional.length > 0 || usage.output_audio || usage.output_image) {
    return { why: "it answers with more than text" };
  }
  const request = readRequest(stream.request);
  const model = nameOf(request?.model) ?? final.servedModel;
  if (model === null) return { why: "it does not name its model" };

  const isThinking = frames.map(showsThinking);
  const written = splitTokens(frames, readings, usage);
  const whenSent = tokensWhenSent(
    frames.map((_, index) => ({
      bytes: (readings[index + 1]?.outputBytes ?? 0) - (readings[index]?.outputBytes ?? 0),
      isThinking: isThinking[index] ?? false,
      toldTokens: outputTokens(readings[index + 1]?.usage ?? readings[index + 1]?.partial ?? {}),
    })),
    written,
  );
  const body = request === null ? assumedRequest(stream.provider, model, frames) : inOurWords(request, model);
  return {
    name: stream.name,
    provider,
    model,
    endpoint: endpointOf(stream.provider, isResponses),
    body,
    summary: {
      model,
      stream: true,
      wantsStreamUsage: true,
      maxOutputTokens: outputLimit(body),
      choices: countOf(body.n) ?? 1,
    },
    prompt:
      request === null || stream.request === null
        ? null
        : measurePrompt(request, Buffer.byteLength(stream.request), stream.provider),
    usesServerTools: serverTools.test(new TextDecoder().decode(stream.sse) + stream.request),
    readings,
    whenSent,
    final,
    usage,
    written,
  };
}

function framesOf(sse: Uint8Array): JsonObject[] {
  const splitter = new SseSplitter();
  const frames = splitter.push(sse);
  const rest = splitter.end();
  if (rest) frames.push(rest);
  return frames.flatMap(({ data }) => {
    const json = data === null ? undefined : parse(data);
    return isJsonObject(json) ? [json] : [];
  });
}

function readingAfter(meter: Meter, frame: JsonObject): Reading {
  meter.readFrame(frame);
  return plausibleReading(meter);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readRequest(text: string | null): JsonObject | null {
  return text === null ? null : (jsonObjectOf(parse(text)) ?? null);
}

/** Splits the billed tokens into reasoning and answer. */
function splitTokens(
  frames: readonly JsonObject[],
  readings: readonly Reading[],
  usage: Usage,
): WrittenTokens {
  const total = outputTokens(usage);
  if (usage.reasoning) return { reasoning: usage.reasoning, answer: total - usage.reasoning };
  // Anthropic bills thinking as output. If it shows none of it, whatever the answer cannot account for was thinking.
  const isSealed = frames.some(opensThinking) && !frames.some(showsThinking);
  if (!isSealed) return { reasoning: 0, answer: total };
  const answer = Math.min(total, Math.ceil((readings.at(-1)?.outputBytes ?? 0) / 4));
  return { reasoning: total - answer, answer };
}

function opensThinking(frame: JsonObject): boolean {
  const type = jsonObjectOf(frame.content_block)?.type;
  return type === "thinking" || type === "redacted_thinking";
}

/** Text of the model's thinking, or of its summary. */
function showsThinking(frame: JsonObject): boolean {
  if (nameOf(frame.type)?.startsWith("response.reasoning") === true) return true;
  if (nameOf(jsonObjectOf(frame.delta)?.thinking) !== undefined) return true;
  const delta = jsonObjectOf(jsonObjectOf(listOf(frame.choices)?.[0])?.delta);
  if (nameOf(delta?.reasoning_content) !== undefined) return true;
  const content = jsonObjectOf(jsonObjectOf(listOf(frame.candidates)?.[0])?.content);
  return listOf(content?.parts)?.some(part => jsonObjectOf(part)?.thought === true) === true;
}

/** What the gateway would have read from a request that was not recorded. */
function assumedRequest(provider: ProviderId, model: string, frames: readonly JsonObject[]): JsonObject {
  if (provider !== "anthropic" || !frames.some(opensThinking)) return { model };
  return { model, thinking: { type: "enabled" } };
}

/** Clients do not send Google's own format: the fields that matter for an estimate are translated to OpenAI's. */
function inOurWords(request: JsonObject, model: string): JsonObject {
  const settings = jsonObjectOf(request.generationConfig);
  if (settings === undefined) return { ...request, model };
  const budget = countOf(jsonObjectOf(settings.thinkingConfig)?.thinkingBudget);
  return {
    model,
    max_tokens: settings.maxOutputTokens,
    ...(budget === undefined ? {} : { reasoning_effort: budget === 0 ? "none" : "medium" }),
  };
}

function outputLimit(body: JsonObject): number | null {
  return countOf(body.max_completion_tokens ?? body.max_output_tokens ?? body.max_tokens) ?? null;
}

function endpointOf(provider: ProviderId, isResponses: boolean): Endpoint {
  if (isResponses)
    return { path: "/v1/responses", dialect: openaiResponses, forwardsQuery: true, sessionHeaders: [] };
  if (provider === "anthropic") {
    return { path: "/v1/messages", dialect: anthropicMessages, forwardsQuery: true, sessionHeaders: [] };
  }
  return { path: "/v1/chat/completions", dialect: openaiChat, forwardsQuery: false, sessionHeaders: [] };
}
