import type { Event, EventStatus } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { seededRandom } from "@tollgate/core/statistics/seeded-random";
import { DAY_MS } from "@tollgate/core/time/durations";

const DAYS = 90;
const AGENTS = 200;
const MODELS = 30;
const CUSTOMERS = 5000;
const KEYS = 12;
const CALLS_A_SESSION = 10;

export const ORGANIZATION = "0c6f5d7e-3f0a-4d53-9f3b-6f1a3c2b1a00";
export const OTHER_ORGANIZATION = "0c6f5d7e-3f0a-4d53-9f3b-6f1a3c2b1a01";

const providers = ["openai", "anthropic", "google", "xai"] as const;
export const agentKeys = Array.from({ length: AGENTS }, (_, index) => `agent-${index}`);
export const models = Array.from({ length: MODELS }, (_, index) => ({
  provider: providers[index % providers.length] ?? "openai",
  model: `model-${index}`,
}));

/**
 * Realistic traffic of some days up to `end`, in chronological order: few agents, models and customers make most of the
 * calls, days have a peak and a low, one in thirty calls fails, sessions have about ten calls.
 */
export function* sampleTraffic(events: number, end: number, days = DAYS): Generator<Event> {
  const next = seededRandom(42);
  const often = (count: number) => Math.floor(next() ** 2 * count);
  const start = end - days * DAY_MS;
  const open: { id: string; calls: number }[] = [];
  for (let index = 0; index < events; index++) {
    const even = (index / events) * days;
    const day = Math.floor(even);
    // More at noon than at night, but still in order.
    const hour = even - day - 0.1 * Math.sin(2 * Math.PI * (even - day));
    const created_at = Math.min(end - 1, Math.floor(start + (day + Math.max(0, hour)) * DAY_MS));
    const agent = often(AGENTS);
    const { provider, model } = models[often(MODELS)] ?? { provider: "openai" as const, model: "model-0" };
    const slot = Math.floor(next() * 500);
    const session = open[slot];
    if (session === undefined || session.calls++ >= CALLS_A_SESSION * 2 * next()) {
      open[slot] = { id: `session-${index}`, calls: 1 };
    }
    const input_tokens = 200 + Math.floor(next() ** 3 * 20_000);
    const output_tokens = 20 + Math.floor(next() ** 2 * 2000);
    const chance = next();
    const status: EventStatus = chance < 0.025 ? "error" : chance < 0.03 ? "timeout" : "success";
    const elsewhere = next();
    yield {
      id: Bun.randomUUIDv7("hex", created_at),
      external_id: null,
      org_id: elsewhere < 0.03 ? OTHER_ORGANIZATION : ORGANIZATION,
      mode: elsewhere > 0.98 ? "test" : "live",
      created_at,
      source: "gateway",
      endpoint: "/v1/chat/completions",
      stream: chance > 0.5,
      agent_key: agentKeys[agent] ?? "default",
      session_id: chance < 0.8 ? (open[slot]?.id ?? null) : null,
      key_id: `key-${agent % KEYS}`,
      customer_id: chance < 0.9 ? `customer-${often(CUSTOMERS)}` : null,
      config_version: agent % 2 === 0 ? `agent-${agent}-v${Math.floor(even / 30)}` : null,
      provider,
      model,
      requested_model: model,
      served_model: model,
      status,
      http_status: status === "success" ? 200 : 500,
      error_code: status === "success" ? null : "server_error",
      latency_ms: 100 + Math.floor(next() ** 4 * 30_000),
      ttft_ms: 90,
      input_tokens,
      output_tokens,
      usage: { input: input_tokens, output: output_tokens },
      additional_usage: null,
      usage_source: "provider",
      cost_microcents: microcents(input_tokens * 3 + output_tokens * 12),
      cost_basis: "priced",
      price_version: "bench",
      service_tier: null,
      response_id: null,
      request_hash: null,
      prefix_hash: null,
      experiment_id: null,
      arm: null,
      budget_flags: null,
      trace_id: null,
      span_id: null,
      pair: null,
      instrumentation: null,
    };
  }
}
