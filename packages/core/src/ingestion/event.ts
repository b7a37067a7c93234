import { z } from "zod";
import { DEFAULT_AGENT } from "../agents/default-agent.ts";
import { eventStatuses } from "../event.ts";
import { microcents } from "../money/money.ts";
import { CALLER_ID_RULE, isCallerId } from "../wire/caller-id.ts";
import { plainIssues } from "../wire/plain-issues.ts";
import {
  faultOfTime,
  type IngestedCall,
  MAX_CONFIG_VERSION,
  MAX_COST_MICROCENTS,
  MAX_LATENCY_MS,
  MAX_TOKENS,
  namePattern,
} from "./call.ts";
import { mapProvider, providerPattern } from "./provider.ts";
import { usageOfCounts } from "./usage.ts";

export const MAX_INGESTED_EVENTS = 1000;

/** Maximum number of unknown fields named in a message: an event may have a million of them. */
const MAX_NAMED_FIELDS = 5;

const Tokens = wholeNumber(MAX_TOKENS).nullish();
const Id = z.string("must be text").refine(isCallerId, CALLER_ID_RULE).nullish();
const Name = z.string("must be text").regex(namePattern, "must be 1 to 256 printable ASCII characters");
const Provider = z
  .string("must be text")
  .regex(new RegExp(providerPattern, "i"), "must be 1 to 64 characters of a-z 0-9 . _ -");
const Milliseconds = z
  .number("must be a number of milliseconds")
  .min(0, "must not be negative")
  .max(MAX_LATENCY_MS, `must be at most ${formatCount(MAX_LATENCY_MS)}, a week`)
  .nullish();
const Time = z
  .union([z.number(), z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
    error: "must be ISO 8601 or epoch milliseconds",
  })
  .transform(at => (typeof at === "number" ? Math.round(at) : Date.parse(asUtc(at))))
  .nullish();

/** One event of `POST /v1/events`. Strict: silently dropping a misspelt `cost` would lose money. */
const IngestedEvent = z.strictObject({
  id: z
    .string("must be text")
    .min(1, "must be 1 to 256 characters")
    .max(256, "must be 1 to 256 characters")
    .nullish(),
  timestamp: Time,
  created_at: Time,
  provider: Provider.nullish(),
  model: Name,
  served_model: Name.nullish(),
  input_tokens: Tokens,
  output_tokens: Tokens,
  cache_read_tokens: Tokens,
  cache_write_tokens: Tokens,
  input_audio_tokens: Tokens,
  reasoning_tokens: Tokens,
  output_audio_tokens: Tokens,
  cost_microcents: wholeNumber(MAX_COST_MICROCENTS).nullish(),
  latency_ms: Milliseconds,
  ttft_ms: Milliseconds,
  status: z.enum(eventStatuses).nullish(),
  error_code: Name.nullish(),
  stream: z.boolean().nullish(),
  agent_key: Id,
  agent_id: Id,
  session_id: Id,
  customer_id: Id,
  config_version: z
    .string("must be text")
    .max(MAX_CONFIG_VERSION, `must be at most ${formatCount(MAX_CONFIG_VERSION)} characters`)
    .nullish(),
  service_tier: Name.nullish(),
  response_id: Name.nullish(),
  // Accepted and ignored: an event belongs to the organization of its key.
  org_id: z.unknown().optional(),
});

function wholeNumber(most: number) {
  return z
    .number(`must be a whole number from 0 to ${formatCount(most)}`)
    .min(0, "must not be negative")
    .max(most, `must be at most ${formatCount(most)}`)
    .refine(Number.isInteger, "must be a whole number");
}

function formatCount(count: number): string {
  return count.toLocaleString("en");
}

type ParsedEvent = { readonly call: IngestedCall } | { readonly error: string };

export function parseIngestedEvent(value: unknown, nowMs: number): ParsedEvent {
  const parsed = IngestedEvent.safeParse(value, plainIssues);
  if (!parsed.success) return { error: sentenceOf(parsed.error) };
  const event = parsed.data;
  const createdAt = event.timestamp ?? event.created_at ?? nowMs;
  const late = faultOfTime(createdAt, nowMs);
  if (late) return { error: `timestamp ${late}` };
  const overfull = faultOfParts(event);
  if (overfull) return { error: overfull };
  return {
    call: {
      identity: event.id ? ["ingest", event.id] : null,
      externalId: event.id ?? null,
      createdAtMs: createdAt,
      agentKey: event.agent_key ?? event.agent_id ?? DEFAULT_AGENT,
      sessionId: event.session_id ?? null,
      customerId: event.customer_id ?? null,
      configVersion: event.config_version || null,
      provider: event.provider ? mapProvider(event.provider) : null,
      model: event.model,
      servedModel: event.served_model ?? null,
      status: event.status ?? "success",
      errorCode: event.error_code ?? null,
      latencyMs: Math.round(event.latency_ms ?? 0),
      ttftMs: typeof event.ttft_ms === "number" ? Math.round(event.ttft_ms) : null,
      stream: event.stream ?? false,
      usage: usageOfCounts({
        input: event.input_tokens ?? undefined,
        output: event.output_tokens ?? undefined,
        cacheRead: event.cache_read_tokens ?? undefined,
        cacheWrite: event.cache_write_tokens ?? undefined,
        inputAudio: event.input_audio_tokens ?? undefined,
        reasoning: event.reasoning_tokens ?? undefined,
        outputAudio: event.output_audio_tokens ?? undefined,
      }),
      cost: typeof event.cost_microcents === "number" ? microcents(event.cost_microcents) : null,
      serviceTier: event.service_tier ?? null,
      responseId: event.response_id ?? null,
      gatewayEventId: null,
      span: null,
    },
  };
}

/** Our own contract is strict, unlike telemetry: the totals include their parts. */
function faultOfParts(event: z.infer<typeof IngestedEvent>): string | null {
  const { input_tokens: input, output_tokens: output } = event;
  const inputParts =
    (event.cache_read_tokens ?? 0) + (event.cache_write_tokens ?? 0) + (event.input_audio_tokens ?? 0);
  if (typeof input === "number" && inputParts > input) {
    return "input_tokens is all input, cached or not: it cannot be less than its parts";
  }
  const outputParts = (event.reasoning_tokens ?? 0) + (event.output_audio_tokens ?? 0);
  if (typeof output === "number" && outputParts > output) {
    return "output_tokens is all output, reasoning included: it cannot be less than its parts";
  }
  return null;
}

/** A time without an offset is UTC, like all our periods; the machine's time zone must not matter. */
function asUtc(text: string): string {
  return /T/i.test(text) && !/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? `${text}Z` : text;
}

/** Names the field and never quotes a value. */
function sentenceOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return "the event is not valid";
  if (issue.code === "unrecognized_keys") {
    const named = issue.keys.slice(0, MAX_NAMED_FIELDS);
    return `unknown field ${named.map(key => JSON.stringify(key.slice(0, 64))).join(", ")}`;
  }
  const field = issue.path.join(".");
  return field === "" ? "an event must be a JSON object" : `${field} ${lowerFirst(issue.message)}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
