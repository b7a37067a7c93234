import { fail } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { CanonicalRequest, Effort, Modality, OutputFormat } from "../../canonical/request.ts";
import { decodeMessages } from "./decode-messages.ts";
import { decodeTools } from "./decode-tools.ts";
import {
  invalid,
  readBoolean,
  readList,
  readNumber,
  readObject,
  readString,
  requireObject,
  requireString,
} from "./request-fields.ts";
import { summarize } from "./summarize.ts";

const efforts: readonly string[] = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] satisfies Effort[];

/** A chat request for a provider with another format. What would be silently lost is refused instead. */
export function decodeRequest(body: JsonObject): CanonicalRequest {
  const summary = summarize(body);
  refuseUntranslatable(body, summary.choices);
  const effort = readEffort(body);
  const request = {
    model: summary.model,
    stream: summary.stream,
    turns: decodeMessages(readList(body, "messages") ?? []),
    maxOutputTokens: summary.maxOutputTokens ?? undefined,
    temperature: readNumber(body, "temperature"),
    topP: readNumber(body, "top_p"),
    topK: readNumber(body, "top_k"), // not OpenAI's, but many clients of this format send it
    stop: readStop(body.stop),
    seed: readNumber(body, "seed"),
    frequencyPenalty: readNumber(body, "frequency_penalty"),
    presencePenalty: readNumber(body, "presence_penalty"),
    ...decodeTools(body),
    outputFormat: readOutputFormat(body),
    reasoning: effort === undefined ? undefined : { effort },
    modalities: readModalities(body),
    serviceTier: readString(body, "service_tier"),
    user: readString(body, "safety_identifier") ?? readString(body, "user"),
  };
  return withoutUndefined(request);
}

type Loose<Shape> = { [Field in keyof Shape]: Shape[Field] | undefined };

/** An optional field is absent or has a value, but is never present and undefined. */
function withoutUndefined(
  request: Loose<Omit<CanonicalRequest, "model" | "stream" | "turns">> &
    Pick<CanonicalRequest, "model" | "stream" | "turns">,
): CanonicalRequest {
  const entries = Object.entries(request).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as CanonicalRequest; // only undefined fields were removed
}

function refuseUntranslatable(body: JsonObject, choices: number): void {
  if (choices > 1) throw unsupported("n", "above 1");
  if (readBoolean(body, "logprobs") === true) throw unsupported("logprobs");
  for (const field of ["audio", "prediction", "web_search_options", "functions", "function_call"])
    if (body[field] !== undefined && body[field] !== null) throw unsupported(field);
}

function unsupported(field: string, what = "") {
  const subject = what === "" ? `\`${field}\`` : `\`${field}\` ${what}`;
  return fail("unsupported_feature", `${subject} is not available for the provider of this model`);
}

function readEffort(body: JsonObject): Effort | undefined {
  const effort = readString(body, "reasoning_effort");
  if (effort === undefined) return undefined;
  if (!efforts.includes(effort)) throw invalid("reasoning_effort", `must be one of ${efforts.join(", ")}`);
  return effort as Effort; // one of the list above
}

/** OpenAI names no images here; LiteLLM and OpenRouter do. */
function readModalities(body: JsonObject): readonly Modality[] | undefined {
  const modalities = readList(body, "modalities") ?? [];
  if (!modalities.every(modality => modality === "text" || modality === "image"))
    throw unsupported("modalities", "other than text and image");
  return modalities.includes("image") ? modalities : undefined;
}

function readStop(stop: unknown): readonly string[] | undefined {
  if (stop === undefined || stop === null) return undefined;
  const list: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (!list.every(entry => typeof entry === "string"))
    throw invalid("stop", "must be a string or an array of strings");
  return list.length === 0 ? undefined : list;
}

function readOutputFormat(body: JsonObject): OutputFormat | undefined {
  const format = readObject(body, "response_format");
  switch (format?.type) {
    case undefined:
    case "text":
      return undefined;
    case "json_object":
      return { kind: "json" };
    case "json_schema": {
      const path = "response_format.json_schema";
      const wrapper = requireObject(format?.json_schema, path);
      const schema = readObject(wrapper, "schema", `${path}.schema`);
      if (schema === undefined) return { kind: "json" };
      const strict = readBoolean(wrapper, "strict", `${path}.strict`);
      const name = requireString(wrapper, "name", `${path}.name`);
      return { kind: "schema", name, schema, ...(strict !== undefined && { strict }) };
    }
    default:
      throw invalid("response_format.type", "must be one of text, json_object, json_schema");
  }
}
