import { HOUR_MS } from "@tollgate/core/time/durations";
/** Projection of a budget's spend at its current pace. */
export type Pace =
  | { readonly kind: "reached" }
  /** Too little of the period is over to say anything. */
  | { readonly kind: "too_early" }
  | { readonly kind: "reaches"; readonly atMs: number; readonly atEndMicrocents: number }
  | { readonly kind: "stays_below"; readonly atEndMicrocents: number };

interface Course {
  readonly period: "daily" | "monthly";
  readonly spentMicrocents: number;
  readonly limitMicrocents: number;
  readonly countedFromMs: number;
  readonly endsAtMs: number;
}

const MIN_COUNTED_MS = { daily: HOUR_MS, monthly: 24 * HOUR_MS } as const;

export function paceOf(course: Course, nowMs: number): Pace {
  const { spentMicrocents: spent, limitMicrocents: limit, countedFromMs, endsAtMs } = course;
  if (spent >= limit) return { kind: "reached" };
  const countedMs = nowMs - countedFromMs;
  if (countedMs < MIN_COUNTED_MS[course.period]) return { kind: "too_early" };
  const perMs = spent / countedMs;
  const atEndMicrocents = Math.round(spent + perMs * Math.max(0, endsAtMs - nowMs));
  if (atEndMicrocents < limit) return { kind: "stays_below", atEndMicrocents };
  return { kind: "reaches", atMs: Math.round(nowMs + (limit - spent) / perMs), atEndMicrocents };
}
