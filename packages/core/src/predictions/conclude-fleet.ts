import type { AlertSeverity } from "../alerts/alert-types.ts";
import { benjaminiHochberg } from "../statistics/benjamini-hochberg.ts";
import { DAY_MS } from "../time/durations.ts";
import type { Finding, InsufficientData, Prediction } from "./prediction.ts";

/** The share of predictions that may be false, and, if there is no trend at all, the probability of any. */
const FALSE_SHARE = 0.05;

/** No prediction is certain. */
const MAX_CONFIDENCE = 0.9999;

export interface Conclusion {
  readonly predictions: readonly Prediction[];
  readonly insufficient: readonly InsufficientData[];
}

/**
 * The tests that stay significant after correction for multiple testing (Benjamini and Hochberg): of two hundred
 * agents, ten would "rise" by chance alone.
 */
export function concludeFleet(findings: readonly Finding[], now: number): Conclusion {
  const tested = findings.filter(finding => finding.kind === "tested");
  const adjusted = benjaminiHochberg(tested.map(({ p }) => p));
  const predictions: Prediction[] = [];
  for (const [index, { type, agentId, key, p, forecast }] of tested.entries()) {
    const adjustedP = adjusted[index] ?? 1;
    if (forecast === null || adjustedP > FALSE_SHARE) continue;
    predictions.push({
      type,
      agentId,
      key,
      ...forecast,
      severity: severityOf(forecast.breachAt, now),
      confidence: Math.min(MAX_CONFIDENCE, 1 - adjustedP),
      p,
      adjustedP,
      testsMade: tested.length,
    });
  }
  const missing = findings.filter(finding => finding.kind === "insufficient");
  return { predictions, insufficient: eachOnce(missing) };
}

/** If several thresholds lack the same data, it is reported once. */
function eachOnce(missing: readonly InsufficientData[]): InsufficientData[] {
  const byKey = new Map<string, InsufficientData>();
  for (const { type, agentId, reason } of missing) {
    const key = JSON.stringify([type, agentId, reason]);
    if (!byKey.has(key)) byKey.set(key, { type, agentId, reason });
  }
  return [...byKey.values()];
}

function severityOf(breachAtMs: number, nowMs: number): AlertSeverity {
  if (breachAtMs <= nowMs + DAY_MS) return "critical";
  return breachAtMs <= nowMs + 7 * DAY_MS ? "warning" : "info";
}
