import type { PredictionType } from "./prediction.ts";

/** Values as they are answered, with no more digits than were measured. */
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

/** How fast a value moves: two digits more than the value itself, for many small steps make a large one. */
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

/** Probabilities may be tiny, so that digits are counted from the first that is not 0. */
export function shownP(p: number): number {
  return Number(p.toPrecision(4));
}

/** Never up to certainty. */
export function shownConfidence(confidence: number): number {
  return Math.floor(confidence * 10_000) / 10_000;
}

function round(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}
