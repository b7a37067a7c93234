/** Recordings have no timestamps: the pace of a call is drawn at random, here and nowhere else. */
import type { ProviderId } from "@tollgate/core/provider-id";
import { AnswerPace } from "@tollgate/gateway/call/answer-pace";
import type { CallPace } from "./timeline.ts";

const LARGE_TOKENS_PER_SECOND = 80;
const SMALL_TOKENS_PER_SECOND = 150;
const SMALL_MODELS = /mini|nano|flash|lite|haiku|fast/;
/** Of the logarithm: two thirds of the calls run at 0.74 to 1.35 times the model's usual pace. */
const PACE_SIGMA = 0.3;
const SHORTEST_LATENCY_MS = 300;
const MAX_LATENCY_MS = 1500;

const EARLIER_CALLS = 20;
const EARLIER_TOKENS = 400;
const EARLIER_SIGMA = 1;

export const paceInWords = `start-up ${SHORTEST_LATENCY_MS} to ${MAX_LATENCY_MS} ms, then ${LARGE_TOKENS_PER_SECOND} tokens/s (${SMALL_TOKENS_PER_SECOND} for small models) on average, log-normal with sigma ${PACE_SIGMA}`;

export function drawPace(model: string, random: () => number): CallPace {
  const usual = SMALL_MODELS.test(model) ? SMALL_TOKENS_PER_SECOND : LARGE_TOKENS_PER_SECOND;
  return {
    tokensPerSecond: logNormal(usual, PACE_SIGMA, random),
    latencyMs: SHORTEST_LATENCY_MS + random() * (MAX_LATENCY_MS - SHORTEST_LATENCY_MS),
  };
}

/** The pace of a model that the gateway has learned from some complete calls. */
export function paceAfterEarlierCalls(provider: ProviderId, model: string, random: () => number): number {
  const pace = new AnswerPace();
  for (let call = 0; call < EARLIER_CALLS; call++) {
    const output_tokens = Math.round(logNormal(EARLIER_TOKENS, EARLIER_SIGMA, random));
    const { latencyMs, tokensPerSecond } = drawPace(model, random);
    const latency_ms = latencyMs + (output_tokens / tokensPerSecond) * 1000;
    pace.learn({
      org_id: "org",
      mode: "live",
      status: "success",
      usage_source: "provider",
      provider,
      model,
      output_tokens,
      latency_ms,
    });
  }
  return pace.tokensPerSecond("org", provider, model);
}

function logNormal(middle: number, sigma: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return middle * Math.exp(sigma * normal);
}
