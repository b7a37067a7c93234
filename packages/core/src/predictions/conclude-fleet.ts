import type { AlertSeverity } from "../alerts/alert-types.ts";
import { benjaminiHochberg } from "../statistics/benjamini-hochberg.ts";
import type { Finding, InsufficientData, Prediction } from "./prediction.ts";
import { DAY_MS } from "./usage-series.ts";

/** The share of predictions that may be false, and, where nothing is coming at all, the chance of any. */
const FALSE_SHARE = 0.05;

/** Nothing that is foretold is certain. */
const HIGHEST_CONFIDENCE = 0.9999;

export interface Conclusion {
  readonly predictions: readonly Prediction[];
  readonly insufficient: readonly InsufficientData[];
}

/**
 * The tests that stay significant after correction for their number (Benjamini and Hochberg): of two hundred
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
      confidence: Math.min(HIGHEST_CONFIDENCE, 1 - adjustedP),
      p,
      adjustedP,
      testsMade: tested.length,
    });
  }
  const missing = findings.filter(finding => finding.kind === "insufficient");
  return { predictions, insufficient: eachOnce(missing) };
}

/** What several lines lack is reported once. */
function eachOnce(missing: readonly InsufficientData[]): InsufficientData[] {
  const told = new Map<string, InsufficientData>();
  for (const { type, agentId, reason } of missing) {
    const key = JSON.stringify([type, agentId, reason]);
    if (!told.has(key)) told.set(key, { type, agentId, reason });
  }
  return [...told.values()];
}

function severityOf(breachAtMs: number, nowMs: number): AlertSeverity {
  if (breachAtMs <= nowMs + DAY_MS) return "critical";
  return breachAtMs <= nowMs + 7 * DAY_MS ? "warning" : "info";
}
