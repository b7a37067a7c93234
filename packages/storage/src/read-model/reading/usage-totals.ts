import type { LatencyCounts } from "@tollgate/core/experiments/latency-counts";
import { addCalls, noCalls } from "@tollgate/core/money/call-sums";
import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { histogramColumns, percentileMs } from "../../database/latency-histogram.ts";
import type { DayTotals, ModelTotals, Totals, Usage } from "../queries/usage-queries.ts";
import type { Window } from "../window.ts";

type Sum = { -readonly [column in keyof Totals]: number };

const zero = (): Sum => ({ ...noCalls(), latency_sum_ms: 0 });

/** Totals, by model and by day, from the same rows, so that they cannot disagree. */
export class UsageTotals {
  readonly #totals = zero();
  readonly #models = new Map<number, Sum>();
  readonly #days = new Map<number, Sum>();
  #exact: LatencyCounts | null = null;
  readonly #histogram: number[] = histogramColumns.map(() => 0);

  constructor(window: Window) {
    const first = startOfDay(window.from);
    for (let day = first; day < window.to && window.from < window.to; day += DAY_MS)
      this.#days.set(day, zero());
  }

  add(day: number, model: number, totals: Totals): void {
    const ofDay = this.#days.get(day) ?? zero();
    this.#days.set(day, ofDay);
    const ofModel = this.#models.get(model) ?? zero();
    this.#models.set(model, ofModel);
    for (const sum of [this.#totals, ofDay, ofModel]) {
      addCalls(sum, totals);
      sum.latency_sum_ms += totals.latency_sum_ms;
    }
  }

  addLatencies(bucket: number, calls: number): void {
    this.#histogram[bucket] = (this.#histogram[bucket] ?? 0) + calls;
  }

  /** Used instead of the histogram. */
  setExactLatencies(counts: LatencyCounts): void {
    this.#exact = counts;
  }

  get calls(): number {
    return this.#totals.calls;
  }

  get models(): number[] {
    return [...this.#models.keys()];
  }

  /** Most expensive model first. */
  toUsage(names: ReadonlyMap<number, { readonly provider: string; readonly model: string }>): Usage {
    const byModel: ModelTotals[] = [];
    for (const [id, totals] of this.#models) {
      const name = names.get(id);
      if (name === undefined) throw new Error(`model ${id} has no name`);
      byModel.push({ provider: name.provider, model: name.model, ...totals });
    }
    byModel.sort(
      (a, b) =>
        b.cost_microcents - a.cost_microcents ||
        b.calls - a.calls ||
        compare(a.model, b.model) ||
        compare(a.provider, b.provider),
    );
    const byDay: DayTotals[] = [...this.#days].map(([day, totals]) => ({ day, ...totals }));
    return {
      totals: this.#totals,
      byModel,
      byDay: byDay.sort((a, b) => a.day - b.day),
      latency: {
        p50_ms: this.#percentileMs(0.5),
        p95_ms: this.#percentileMs(0.95),
        p99_ms: this.#percentileMs(0.99),
      },
    };
  }

  #percentileMs(fraction: number): number | null {
    return this.#exact === null ? percentileMs(this.#histogram, fraction) : this.#exact.percentile(fraction);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
