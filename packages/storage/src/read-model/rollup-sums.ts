import { histogramColumns } from "../database/latency-histogram.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** What one event, or a change of its cost, adds to every sum that includes it. */
interface Contribution {
  readonly scope: number;
  readonly at: number;
  readonly agent: number;
  readonly model: number;
  readonly customer: number | null;
  readonly calls: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicrocents: number;
  readonly unpricedCalls: number;
  readonly latencyMs: number;
  /** Index into the latency histogram; null for a change of cost, which is not a call. */
  readonly bucket: number | null;
}

export const totalColumns = [
  "calls",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "unpriced_calls",
] as const;
export const rollupColumns = [...totalColumns, "latency_sum_ms", ...histogramColumns] as const;

const KEYS = 4;
const HISTOGRAM = KEYS + totalColumns.length + 1;

/**
 * Sums by hour and by day. Agent 0 means all agents, model 0 all models: the most frequent queries, the whole
 * organization by model and every agent's total, then need only a few rows per day.
 */
export class RollupSums {
  /** scope, agent, model, time, then `rollupColumns`. */
  readonly hours = new Map<string, number[]>();
  readonly days = new Map<string, number[]>();
  /** scope, customer, day, then `totalColumns`. */
  readonly customerDays = new Map<string, number[]>();

  add(part: Contribution): void {
    const hour = part.at - (part.at % HOUR_MS);
    const day = part.at - (part.at % DAY_MS);
    for (const [sums, time] of [
      [this.hours, hour],
      [this.days, day],
    ] as const) {
      addTo(sums, part, part.agent, part.model, time);
      addTo(sums, part, 0, part.model, time);
      addTo(sums, part, part.agent, 0, time);
    }
    if (part.customer !== null) this.#addCustomerDay(part, part.customer, day);
  }

  #addCustomerDay(part: Contribution, customer: number, day: number): void {
    const key = `${part.scope} ${customer} ${day}`;
    let row = this.customerDays.get(key);
    if (row === undefined) {
      row = [part.scope, customer, day, ...totalColumns.map(() => 0)];
      this.customerDays.set(key, row);
    }
    addTotals(row, 3, part);
  }
}

function addTo(
  sums: Map<string, number[]>,
  part: Contribution,
  agent: number,
  model: number,
  time: number,
): void {
  const key = `${part.scope} ${agent} ${model} ${time}`;
  let row = sums.get(key);
  if (row === undefined) {
    row = new Array<number>(HISTOGRAM + histogramColumns.length).fill(0);
    row[0] = part.scope;
    row[1] = agent;
    row[2] = model;
    row[3] = time;
    sums.set(key, row);
  }
  addTotals(row, KEYS, part);
  increase(row, HISTOGRAM - 1, part.latencyMs);
  if (part.bucket !== null) increase(row, HISTOGRAM + part.bucket, part.calls);
}

function addTotals(row: number[], from: number, part: Contribution): void {
  increase(row, from, part.calls);
  increase(row, from + 1, part.errors);
  increase(row, from + 2, part.inputTokens);
  increase(row, from + 3, part.outputTokens);
  increase(row, from + 4, part.costMicrocents);
  increase(row, from + 5, part.unpricedCalls);
}

function increase(row: number[], index: number, by: number): void {
  row[index] = (row[index] ?? 0) + by;
}
