import { type CostKind, costKinds } from "@tollgate/core/money/cost-kinds";
import type { CostByKind } from "@tollgate/core/pricing/split-cost";
import { DAY_MS, WEEK_MS } from "@tollgate/core/time/durations";
import { startOfDay, startOfHour } from "@tollgate/core/time/start-of-day";
import { costKindColumns } from "../database/cost-kind-columns.ts";
import { histogramColumns } from "../database/latency-histogram.ts";

/** What one event, or a change of its cost, adds to every sum that includes it. */
interface Contribution {
  readonly scope: number;
  readonly at: number;
  readonly agent: number;
  readonly model: number;
  readonly customer: number | null;
  readonly configVersion: number | null;
  readonly usedKey: number | null;
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

  add(part: Contribution): void {
    const hour = startOfHour(part.at);
    this.#addCall(part, hour);
    const version = part.configVersion ?? NOBODY;
    addTo(this.#subjectHours, [part.scope, subjectKinds.config_version, version, hour], part);
    addTo(this.#subjectHours, [part.scope, subjectKinds.used_key, part.usedKey ?? NOBODY, hour], part);
    addTo(this.#subjectHours, [part.scope, subjectKinds.customer, part.customer ?? NOBODY, hour], part);
    addTo(this.#versionDays, [part.scope, part.agent, version, startOfDay(part.at)], part);
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

  #addCall(part: Contribution, hour: number): void {
    const key = `${part.scope} ${part.agent} ${part.model} ${hour}`;
    let row = this.#hours.get(key);
    if (row === undefined) {
      row = new Array<number>(ROW_LENGTH).fill(0);
      row[0] = part.scope;
      row[1] = part.agent;
      row[2] = part.model;
      row[3] = hour;
      this.#hours.set(key, row);
    }
    addTotals(row, part);
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
    const name = keys.join(" ");
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, [...keys, ...row.slice(KEYS)]);
    else for (let index = KEYS; index < row.length; index++) increase(sum, index, row[index] ?? 0);
  }
  return [...sums.values()];
}

function addTo(sums: Map<string, number[]>, keys: Keys, part: Contribution): void {
  const name = keys.join(" ");
  let row = sums.get(name);
  if (row === undefined) {
    row = [...keys, ...totalColumns.map(() => 0)];
    sums.set(name, row);
  }
  addTotals(row, part);
}

function addTotals(row: number[], part: Contribution): void {
  increase(row, KEYS, part.calls);
  increase(row, KEYS + 1, part.errors);
  increase(row, KEYS + 2, part.inputTokens);
  increase(row, KEYS + 3, part.outputTokens);
  increase(row, KEYS + 4, part.costMicrocents);
  increase(row, KEYS + 5, part.unpricedCalls);
}

function increase(row: number[], index: number, by: number): void {
  row[index] = (row[index] ?? 0) + by;
}
