import { startOfMonth } from "../time/month.ts";

const DAY_MS = 86_400_000;

export interface Sums {
  readonly calls: number;
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
  readonly unpriced_calls: number;
}

/** The windows that the live totals show. */
export interface WindowSums {
  readonly today: Sums;
  readonly month: Sums;
  readonly last_30_days: Sums;
}

type Adding = { -readonly [name in keyof Sums]: number };

const zero = (): Adding => ({
  calls: 0,
  errors: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_microcents: 0,
  unpriced_calls: 0,
});

function addTo(sum: Adding, more: Sums): void {
  sum.calls += more.calls;
  sum.errors += more.errors;
  sum.input_tokens += more.input_tokens;
  sum.output_tokens += more.output_tokens;
  sum.cost_microcents += more.cost_microcents;
  sum.unpriced_calls += more.unpriced_calls;
}

/** Sums by UTC day, from which the live totals are read: no window has to be counted again when a day ends. */
export class DaySums {
  readonly #days = new Map<number, Adding>();

  /** The first day that any window of `totals` may need. */
  static firstDay(nowMs: number): number {
    return Math.min(startOfMonth(nowMs), startOfDay(nowMs) - 29 * DAY_MS);
  }

  add(atMs: number, more: Sums): void {
    const day = startOfDay(atMs);
    const sum = this.#days.get(day) ?? zero();
    this.#days.set(day, sum);
    addTo(sum, more);
  }

  /** A day that `visibleFrom` cuts through is left out: a tier never shows more than its history. */
  totals(nowMs: number, visibleFrom: number): WindowSums {
    const today = startOfDay(nowMs);
    const visible = Math.ceil(visibleFrom / DAY_MS) * DAY_MS;
    const from = (day: number) => this.#sum(Math.max(day, visible), today + DAY_MS);
    return {
      today: from(today),
      month: from(startOfMonth(nowMs)),
      last_30_days: from(today - 29 * DAY_MS),
    };
  }

  #sum(fromMs: number, toMs: number): Adding {
    const sum = zero();
    for (const [day, more] of this.#days) if (day >= fromMs && day < toMs) addTo(sum, more);
    return sum;
  }
}

function startOfDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}
