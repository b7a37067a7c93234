/** Periods are UTC and computed from the time, so that nothing has to run for a reset. */

let lastMonth = { from: 0, to: 0, id: "" };

/** "2026-11": the id of the month that `at` (epoch milliseconds) falls in. Asked for every call, so remembered. */
export function monthOf(at: number): string {
  if (at < lastMonth.from || at >= lastMonth.to) {
    lastMonth = {
      from: startOfMonth(at),
      to: startOfNextMonth(at),
      id: new Date(at).toISOString().slice(0, 7),
    };
  }
  return lastMonth.id;
}

export function startOfMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function startOfNextMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
