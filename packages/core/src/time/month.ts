/** Periods are UTC and computed from the time, so that no job has to run for a reset. */

let lastMonth = { from: 0, to: 0, id: "" };

/** "2026-11": the id of the month that contains `at` (epoch milliseconds). Cached, because every call needs it. */
export function monthOf(atMs: number): string {
  if (atMs < lastMonth.from || atMs >= lastMonth.to) {
    lastMonth = {
      from: startOfMonth(atMs),
      to: startOfNextMonth(atMs),
      id: new Date(atMs).toISOString().slice(0, 7),
    };
  }
  return lastMonth.id;
}

export function startOfMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function startOfNextMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
