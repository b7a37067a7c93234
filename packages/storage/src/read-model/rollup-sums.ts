import { type CostKind, costKinds } from "@tollgate/core/money/cost-kinds";
import type { CostByKind } from "@tollgate/core/pricing/split-cost";
import { DAY_MS, WEEK_MS } from "@tollgate/core/time/durations";
import { startOfDay, startOfHour } from "@tollgate/core/time/start-of-day";
import { costKindColumns } from "../database/cost-kind-columns.ts";
import { histogramColumns } from "../database/latency-histogram.ts";

/** What one event, or a change of its cost, adds to every sum that includes it. */
export interface Contribution {
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicrocents: number;
  readonly costByKind: CostByKind;
  readonly unpricedCalls: number;
  readonly latencyMs: number;
  /** Index into the latency histogram; null for a change of cost, which is not a call. */
  readonly bucket: number | null;
}

/** The keys of the rollups that an event is added to. */
export interface Dimensions {
  readonly scope: number;
  readonly agent: number;
  readonly model: number;
  readonly customer: number | null;
  readonly configVersion: number | null;
  readonly usedKey: number | null;
}

export const totalColumns = [
  "calls",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "unpriced_calls",
] as const;
export const rollupColumns = [
  ...totalColumns,
  "latency_sum_ms",
  ...histogramColumns,
  ...costKindColumns,
] as const;

/** The subject of calls without one. */
const NOBODY = 0;

/** The encoding of `subject_hours.kind`, stored permanently. */
export const subjectKinds = { config_version: 1, used_key: 2, customer: 3 } as const;

const KEYS = 4;
const HISTOGRAM = KEYS + totalColumns.length + 1;
const COST_KINDS = HISTOGRAM + histogramColumns.length;
const ROW_LENGTH = COST_KINDS + costKindColumns.length;

/**
 * Sums by hour and by day. Agent 0 means all agents, model 0 all models: the most frequent queries, the whole
 * organization by model and every agent's total, then need only a few rows per day. An event is added to one row per
 * kind of sum; all other rows are sums of those.
 */
export class RollupSums {
  readonly #hours = new Map<string, number[]>();
  readonly #subjectHours = new Map<string, number[]>();
  readonly #versionDays = new Map<string, number[]>();

  add({ scope, agent, model, customer, configVersion, usedKey }: Dimensions, part: Contribution): void {
    const hour = startOfHour(part.at);
    this.#addCall([scope, agent, model, hour], part);
    const version = configVersion ?? NOBODY;
    addTo(this.#subjectHours, [scope, subjectKinds.config_version, version, hour], part);
    addTo(this.#subjectHours, [scope, subjectKinds.used_key, usedKey ?? NOBODY, hour], part);
    addTo(this.#subjectHours, [scope, subjectKinds.customer, customer ?? NOBODY, hour], part);
    addTo(this.#versionDays, [scope, agent, version, startOfDay(part.at)], part);
  }

  /** scope, agent, model, time, then `rollupColumns`. */
  rollups(): { readonly hours: number[][]; readonly days: number[][] } {
    const hours = [...this.#hours.values()];
    const days = sumBy(hours, row => withTime(row, DAY_MS));
    const withAll = (rows: number[][]) => [
      ...rows,
      ...sumBy(rows, ([scope = 0, , model = 0, time = 0]) => [scope, 0, model, time]),
      ...sumBy(rows, ([scope = 0, agent = 0, , time = 0]) => [scope, agent, 0, time]),
    ];
    return { hours: withAll(hours), days: withAll(days) };
  }

  /** Hours and days: scope, kind, subject, time, then `totalColumns`. Those of customers only: without the kind. */
  subjects(): {
    readonly hours: number[][];
    readonly days: number[][];
    readonly customerDays: number[][];
    readonly customerWeeks: number[][];
  } {
    const hours = [...this.#subjectHours.values()];
    const days = sumBy(hours, row => withTime(row, DAY_MS));
    const isCustomer = ([, kind]: number[]) => kind === subjectKinds.customer;
    const ofCustomers = days.filter(isCustomer);
    const withoutKind = ([scope = 0, , ...rest]: number[]) => [scope, ...rest];
    return {
      hours,
      days: days.filter(row => !isCustomer(row)),
      customerDays: ofCustomers.map(withoutKind),
      customerWeeks: sumBy(ofCustomers, row => withTime(row, WEEK_MS)).map(withoutKind),
    };
  }

  /** scope, agent, config version, day, then `totalColumns`. */
  agentVersionDays(): number[][] {
    return [...this.#versionDays.values()];
  }

  #addCall(keys: Keys, part: Contribution): void {
    const row = rowOf(this.#hours, keys, ROW_LENGTH);
    addTotals(row, KEYS, part);
    increase(row, HISTOGRAM - 1, part.latencyMs);
    if (part.bucket !== null) increase(row, HISTOGRAM + part.bucket, part.calls);
    for (const name in part.costByKind) {
      const kind = name as CostKind;
      increase(row, COST_KINDS + costKinds.indexOf(kind), part.costByKind[kind] ?? 0);
    }
  }
}

type Keys = readonly [number, number, number, number];

function withTime([first = 0, second = 0, third = 0, time = 0]: readonly number[], unitMs: number): Keys {
  return [first, second, third, time - (time % unitMs)];
}

/** Adds up the rows that get the same keys. */
function sumBy(rows: readonly (readonly number[])[], keysOf: (row: readonly number[]) => Keys): number[][] {
  const sums = new Map<string, number[]>();
  for (const row of rows) {
    const keys = keysOf(row);
    const name = `${keys[0]} ${keys[1]} ${keys[2]} ${keys[3]}`;
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, [...keys, ...row.slice(KEYS)]);
    else for (let index = KEYS; index < row.length; index++) increase(sum, index, row[index] ?? 0);
  }
  return [...sums.values()];
}

function addTo(sums: Map<string, number[]>, keys: Keys, part: Contribution): void {
  addTotals(rowOf(sums, keys, KEYS + totalColumns.length), KEYS, part);
}

function rowOf(sums: Map<string, number[]>, [first, second, third, time]: Keys, length: number): number[] {
  const name = `${first} ${second} ${third} ${time}`;
  let row = sums.get(name);
  if (row === undefined) {
    row = new Array<number>(length).fill(0);
    row[0] = first;
    row[1] = second;
    row[2] = third;
    row[3] = time;
    sums.set(name, row);
  }
  return row;
}

/** Adds to `totalColumns`, the first of which is at `from`. */
export function addTotals(row: number[], from: number, part: Contribution): void {
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
