import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { inputTokens, outputTokens, type Usage } from "@tollgate/core/money/usage";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { costOf } from "@tollgate/core/pricing/cost";
import { encodeRateCard, priceVersion } from "@tollgate/core/pricing/rates";
import type { Intent } from "@tollgate/storage/ledger/intent";
import type { Settlement } from "@tollgate/storage/ledger/settling";

export const SAMPLE_DAY = Date.parse("2026-11-15T12:00:00Z");

const listPrice = { serviceTier: null, speed: null, region: null };
const catalogue = createCatalogue();

export function sampleIntent(id: string, change: Partial<Intent> = {}): Intent {
  return {
    id,
    org_id: "org",
    mode: "live",
    created_at: SAMPLE_DAY,
    endpoint: "/v1/chat/completions",
    stream: false,
    agent_key: "default",
    session_id: null,
    customer_id: null,
    provider: "openai",
    model: "gpt-4o-mini",
    requested_model: "gpt-4o-mini",
    request_hash: "hash",
    prefix_hash: null,
    prompt_bytes: 400,
    max_output_tokens: null,
    ...change,
  };
}

/** An event with a correct cost, and the rates that explain it. */
export function sampleSettlement(id: string, change: Partial<Event> = {}): Settlement {
  const usage: Usage = change.usage ?? { input: 1000, output: 100 };
  const { prompt_bytes: _bytes, max_output_tokens: _limit, ...known } = sampleIntent(id);
  const card = catalogue.card("openai", "gpt-4o-mini", new Date(SAMPLE_DAY), inputTokens(usage), listPrice);
  if (!card) throw new Error("gpt-4o-mini has no price");
  const event: Event = {
    ...known,
    external_id: null,
    key_id: null,
    source: "gateway",
    config_version: null,
    served_model: "gpt-4o-mini-2024-07-18",
    status: "success",
    http_status: 200,
    error_code: null,
    latency_ms: 12,
    ttft_ms: null,
    input_tokens: inputTokens(usage),
    output_tokens: outputTokens(usage),
    usage,
    additional_usage: null,
    usage_source: "provider",
    cost_microcents: microcents(Number(costOf(usage, card))),
    cost_basis: "priced",
    price_version: priceVersion(card),
    service_tier: null,
    response_id: null,
    experiment_id: null,
    arm: null,
    budget_flags: null,
    trace_id: null,
    span_id: null,
    pair: null,
    instrumentation: null,
    ...change,
  };
  return { event, cards: [{ version: priceVersion(card), card: encodeRateCard(card) }] };
}
