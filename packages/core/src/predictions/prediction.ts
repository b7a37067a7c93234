import type { AlertSeverity } from "../alerts/alert-types.ts";

export const predictionTypes = [
  "error_rate_breach",
  "latency_degradation",
  "cost_overrun",
  "budget_exhaustion",
  "rate_limit_risk",
] as const;

export type PredictionType = (typeof predictionTypes)[number];

export const predictionStatuses = ["active", "acknowledged", "resolved"] as const;

export const trendDirections = ["rising", "falling", "steady"] as const;

export type TrendDirection = (typeof trendDirections)[number];

export interface NamedTest {
  readonly name: string;
  readonly p: number;
}

/** The result of one test, before the correction for multiple testing. */
export interface Observation {
  /** Number of hours or days in the trend. */
  readonly n: number;
  readonly unit: "hour" | "day";
  /** Epoch milliseconds; the end is exclusive. */
  readonly window: { readonly from: number; readonly to: number };
  readonly tests: readonly NamedTest[];
  readonly slope: number;
  /** "ms an hour", "microcents a day" … */
  readonly slopeUnit: string;
  /** When the breach is expected, with 95 % confidence; `latest` null: perhaps never. */
  readonly interval: { readonly earliest: number; readonly latest: number | null } | null;
}

/** A breach to predict if its p value survives the correction. */
interface Forecast {
  readonly breachAt: number;
  readonly currentValue: number;
  readonly thresholdValue: number;
  readonly direction: TrendDirection;
  readonly message: string;
  readonly observation: Observation;
}

export interface Subject {
  readonly type: PredictionType;
  /** null: the organization. */
  readonly agentId: string | null;
  /** Type and subject, the same at every evaluation. */
  readonly key: string;
}

/** Every test counts for the correction, even if it predicts nothing (`forecast` null). */
export type Finding = Subject &
  (
    | { readonly kind: "insufficient"; readonly reason: string }
    | { readonly kind: "tested"; readonly p: number; readonly forecast: Forecast | null }
  );

export interface Prediction extends Subject, Forecast {
  readonly severity: AlertSeverity;
  /** Below 1: 1 − the adjusted p. */
  readonly confidence: number;
  readonly p: number;
  readonly adjustedP: number;
  /** How many tests the p value was adjusted for. */
  readonly testsMade: number;
}

export interface InsufficientData {
  readonly type: PredictionType;
  readonly agentId: string | null;
  readonly reason: string;
}
