import { DAY_MS, HOUR_MS, WEEK_MS } from "@tollgate/core/time/durations";
import { startOf } from "@tollgate/core/time/start-of-day";
import type { Window } from "../window.ts";

/** A window split into its largest pieces: no overlaps, no gaps, none empty. */
interface WindowPieces {
  readonly days: readonly Window[];
  readonly hours: readonly Window[];
  /** Less than an hour each, at the edges: these need single events. */
  readonly moments: readonly Window[];
}

export function splitWindow(window: Window): WindowPieces {
  const days = inner(window, DAY_MS);
  const edges = days === null ? [window] : without(window, days);
  const hours: Window[] = [];
  const moments: Window[] = [];
  for (const edge of edges) {
    const whole = inner(edge, HOUR_MS);
    if (whole !== null) hours.push(whole);
    moments.push(...(whole === null ? [edge] : without(edge, whole)));
  }
  return { days: days === null ? [] : [days], hours, moments: moments.filter(isNotEmpty) };
}

/** Whole days in weeks: the weeks and the days around them are added, and days that have not come yet are subtracted. */
interface Weeks {
  readonly weeks: readonly Window[];
  readonly days: readonly Window[];
  readonly excessDays: readonly Window[];
}

export function splitWeeks(days: Window, nowMs: number): Weeks {
  const { whole, excess } = extendWindow(days, WEEK_MS, nowMs);
  const weeks = inner(whole, WEEK_MS);
  if (weeks === null) return { weeks: [], days: [days], excessDays: [] };
  return { weeks: [weeks], days: without(whole, weeks), excessDays: excess === null ? [] : [excess] };
}

/** A longer window, and the part of it to subtract. */
interface ExtendedWindow {
  readonly whole: Window;
  /** null: nothing. */
  readonly excess: Window | null;
}

/**
 * Completes the hour, day or week that a window ends in, if it has not ended yet. Its one sum is then read instead of its parts,
 * and the excess, usually without a call, is subtracted.
 */
export function extendWindow(window: Window, unitMs: number, nowMs: number): ExtendedWindow {
  const to = Math.ceil(window.to / unitMs) * unitMs;
  const isRunning = window.to < to && nowMs < to;
  if (!isRunning || !isNotEmpty(window)) return { whole: window, excess: null };
  return { whole: { from: window.from, to }, excess: { from: window.to, to } };
}

/** The whole units inside a window. */
function inner({ from, to }: Window, unitMs: number): Window | null {
  const whole = { from: Math.ceil(from / unitMs) * unitMs, to: startOf(to, unitMs) };
  return isNotEmpty(whole) ? whole : null;
}

function without(window: Window, inside: Window): Window[] {
  return [
    { from: window.from, to: inside.from },
    { from: inside.to, to: window.to },
  ].filter(isNotEmpty);
}

function isNotEmpty({ from, to }: Window): boolean {
  return from < to;
}
