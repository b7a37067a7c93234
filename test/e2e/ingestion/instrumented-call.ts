import { expect } from "bun:test";
import type { Event } from "@tollgate/core/event";
import type { TestGateway } from "../../support/labs/test-gateway.ts";
import { type Attributes, otlpSpan, type SpanChange } from "./otlp-span.ts";

export const INFERENCE = "openinference.instrumentation.openai";
export const LLMETRY = "opentelemetry.instrumentation.openai.v1";

interface Told {
  readonly scope: string;
  readonly span: ReturnType<typeof otlpSpan>;
}

/** Spans as an exporter sends them: grouped by instrumentation. */
function exportOf(...told: readonly Told[]) {
  const scopeSpans = told.map(({ scope, span }) => ({ scope: { name: scope }, spans: [span] }));
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans }] };
}

export async function tell(to: TestGateway, told: readonly Told[], key = to.liveKey): Promise<void> {
  const answer = await to.post("/v1/traces", exportOf(...told), { authorization: `Bearer ${key}` });
  expect(await answer.json()).toEqual({});
}

/** How OpenInference reports a call: without a response id, with the model that answered. */
export function inferenceSpan(event: Event, change: SpanChange = {}, attributes: Attributes = {}): Told {
  const isEmbedding = event.endpoint === "/v1/embeddings";
  const span = otlpSpan(
    {
      "openinference.span.kind": isEmbedding ? "EMBEDDING" : "LLM",
      "llm.system": "openai",
      [isEmbedding ? "embedding.model_name" : "llm.model_name"]: event.served_model ?? event.model,
      "llm.token_count.prompt": event.input_tokens,
      ...(isEmbedding ? {} : { "llm.token_count.completion": event.output_tokens }),
      "llm.token_count.prompt_details.cache_read": 0,
      ...attributes,
    },
    around(event, change),
  );
  return { scope: INFERENCE, span };
}

/** How OpenLLMetry reports a call. */
export function llmetrySpan(event: Event, change: SpanChange = {}, attributes: Attributes = {}): Told {
  const span = otlpSpan(
    {
      "llm.request.type": "chat",
      "gen_ai.request.model": event.requested_model,
      "gen_ai.response.model": event.served_model ?? event.model,
      "gen_ai.usage.input_tokens": event.input_tokens,
      "gen_ai.usage.output_tokens": event.output_tokens,
      ...attributes,
    },
    around(event, change),
  );
  return { scope: LLMETRY, span };
}

function around(event: Event, change: SpanChange): SpanChange {
  return { startMs: event.created_at - 5, durationMs: event.latency_ms + 10, ...change };
}
