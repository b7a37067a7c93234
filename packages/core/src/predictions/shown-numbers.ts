import type { PredictionType } from "./prediction.ts";

/** Displayed values, with no more digits than were measured. */
export function shownValue(type: PredictionType, value: number): number {
  switch (type) {
    case "error_rate_breach":
      return round(value, 4);
    case "latency_degradation":
      return round(value, 2);
    case "cost_overrun":
    case "budget_exhaustion":
    case "rate_limit_risk":
      return round(value, 0);
    default:
      return type satisfies never;
  }
}

/** Rate of change: two digits more than the value itself, because many small steps add up. */
export function shownSlope(type: PredictionType, slope: number): number {
  switch (type) {
    case "error_rate_breach":
      return round(slope, 6);
    case "latency_degradation":
    case "cost_overrun":
    case "budget_exhaustion":
    case "rate_limit_risk":
      return round(slope, 2);
    default:
      return type satisfies never;
  }
}

/** Probabilities may be tiny, so significant digits count. */
export function shownP(p: number): number {
  return Number(p.toPrecision(4));
}

/** Never rounded up to certainty. */
export function shownConfidence(confidence: number): number {
  return Math.floor(confidence * 10_000) / 10_000;
}

function round(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}
