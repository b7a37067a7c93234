/** Periods are UTC and computed from the time, so that nothing has to run for a reset. */

/** "2026-11": the id of the month that `at` (epoch milliseconds) falls in. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

export function startOfMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function startOfNextMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
