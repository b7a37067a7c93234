import { addCalls, type CallSums, noCalls, type RunningSums } from "../money/call-sums.ts";
import { DAY_MS } from "../time/durations.ts";
import { startOfMonth } from "../time/month.ts";
import { startOfDay } from "../time/start-of-day.ts";

/** The windows shown by the live totals. */
interface WindowSums {
  readonly today: CallSums;
  readonly month: CallSums;
  readonly last_30_days: CallSums;
}

/** Sums by UTC day, from which the live totals are computed: no recount is needed when a day ends. */
export class DaySums {
  readonly #days = new Map<number, RunningSums>();

  /** The first day that any window of `totals` may need. */
  static firstDay(nowMs: number): number {
    return Math.min(startOfMonth(nowMs), startOfDay(nowMs) - 29 * DAY_MS);
  }

  add(atMs: number, more: CallSums): void {
    const day = startOfDay(atMs);
    const sum = this.#days.get(day) ?? noCalls();
    this.#days.set(day, sum);
    addCalls(sum, more);
  }

  /** A day that `visibleFrom` splits is excluded: a tier never shows more than its history. */
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

  #sum(fromMs: number, toMs: number): RunningSums {
    const sum = noCalls();
    for (const [day, more] of this.#days) if (day >= fromMs && day < toMs) addCalls(sum, more);
    return sum;
  }
}
