import { z } from "zod";
import {
  faultOfTime,
  type IngestedCall,
  idPattern,
  MAX_COST_MICROCENTS,
  MAX_TOKENS,
  namePattern,
} from "./ingestion-call.ts";
import { mapProvider } from "./ingestion-provider.ts";
import { usageOfCounts } from "./ingestion-usage.ts";
import { microcents } from "./money.ts";

export const MAX_INGESTED_EVENTS = 1000;

const LONGEST_LATENCY_MS = 7 * 86_400_000;

const Tokens = z.int("must be a whole number").min(0, "must not be negative").max(MAX_TOKENS).nullish();
const Id = z.string().regex(idPattern, "must be 1 to 256 characters of A-Z a-z 0-9 _ . : @ / -").nullish();
const Name = z.string().regex(namePattern, "must be 1 to 256 printable ASCII characters");
const Milliseconds = z.number().min(0, "must not be negative").max(LONGEST_LATENCY_MS).nullish();
const Time = z
  .union([z.number(), z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
    error: "must be ISO 8601 or epoch milliseconds",
  })
  .transform(at => (typeof at === "number" ? Math.round(at) : Date.parse(asUtc(at))))
  .nullish();

/** One event of `POST /v1/events`. Closed: a misspelt `cost` that was dropped in silence would be money lost. */
export const IngestedEvent = z.strictObject({
  id: z.string().min(1).max(256).nullish(),
  timestamp: Time,
  created_at: Time,
  provider: Name.nullish(),
  model: Name,
  served_model: Name.nullish(),
  input_tokens: Tokens,
  output_tokens: Tokens,
  cache_read_tokens: Tokens,
  cache_write_tokens: Tokens,
  input_audio_tokens: Tokens,
  reasoning_tokens: Tokens,
  output_audio_tokens: Tokens,
  cost_microcents: z
    .int("must be a whole number")
    .min(0, "must not be negative")
    .max(MAX_COST_MICROCENTS)
    .nullish(),
  latency_ms: Milliseconds,
  ttft_ms: Milliseconds,
  status: z.enum(["success", "error", "timeout", "cancelled", "interrupted"]).nullish(),
  error_code: Name.nullish(),
  stream: z.boolean().nullish(),
  agent_key: Id,
  agent_id: Id,
  session_id: Id,
  customer_id: Id,
  config_version: z.string().nullish(),
  service_tier: Name.nullish(),
  response_id: Name.nullish(),
  // Accepted, and of no effect: an event belongs to the organization of its key.
  org_id: z.unknown().optional(),
});

export type ParsedEvent = { readonly call: IngestedCall } | { readonly error: string };

export function parseIngestedEvent(value: unknown, now: number): ParsedEvent {
  const parsed = IngestedEvent.safeParse(value);
  if (!parsed.success) return { error: sentenceOf(parsed.error) };
  const event = parsed.data;
  const createdAt = event.timestamp ?? event.created_at ?? now;
  const late = faultOfTime(createdAt, now);
  if (late) return { error: `timestamp ${late}` };
  const overfull = faultOfParts(event);
  if (overfull) return { error: overfull };
  return {
    call: {
      identity: event.id ? ["ingest", event.id] : null,
      externalId: event.id ?? null,
      createdAt,
      agentKey: event.agent_key ?? event.agent_id ?? "default",
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
    },
  };
}

/** Our own contract is strict where telemetry has to be guessed: the totals contain their parts. */
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

/** A time without an offset is UTC, like every period of ours; the machine's own zone must not decide. */
function asUtc(text: string): string {
  return /T/i.test(text) && !/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? `${text}Z` : text;
}

/** Names the field and never quotes a value. */
function sentenceOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return "the event is not valid";
  if (issue.code === "unrecognized_keys") {
    return `unknown field ${issue.keys.map(key => JSON.stringify(key.slice(0, 64))).join(", ")}`;
  }
  const field = issue.path.join(".");
  return field === "" ? "an event must be a JSON object" : `${field} ${lowerFirst(issue.message)}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
