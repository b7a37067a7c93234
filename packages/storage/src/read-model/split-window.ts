import type { Window } from "./queries.ts";
import { DAY_MS, HOUR_MS } from "./rollup-sums.ts";

/** A window split into its largest pieces: none overlap, none are empty, together they are the window. */
export interface WindowPieces {
  readonly days: readonly Window[];
  readonly hours: readonly Window[];
  /** Less than an hour each, at the edges: only single events can fill these. */
  readonly moments: readonly Window[];
}

export function splitWindow(window: Window): WindowPieces {
  const days = inner(window, DAY_MS);
  const besideDays = days === null ? [window] : without(window, days);
  const hours: Window[] = [];
  const moments: Window[] = [];
  for (const edge of besideDays) {
    const whole = inner(edge, HOUR_MS);
    if (whole !== null) hours.push(whole);
    moments.push(...(whole === null ? [edge] : without(edge, whole)));
  }
  return { days: days === null ? [] : [days], hours, moments: moments.filter(isSome) };
}

/** The whole units inside a window. */
function inner({ from, to }: Window, unitMs: number): Window | null {
  const whole = { from: Math.ceil(from / unitMs) * unitMs, to: Math.floor(to / unitMs) * unitMs };
  return isSome(whole) ? whole : null;
}

function without(window: Window, inside: Window): Window[] {
  return [
    { from: window.from, to: inside.from },
    { from: inside.to, to: window.to },
  ].filter(isSome);
}

function isSome({ from, to }: Window): boolean {
  return from < to;
}
