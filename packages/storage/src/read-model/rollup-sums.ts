import { type CostKind, costKinds } from "@tollgate/core/money/cost-kinds";
import type { CostByKind } from "@tollgate/core/pricing/split-cost";
import { WEEK_MS } from "@tollgate/core/time/durations";
import { startOf, startOfDay, startOfHour } from "@tollgate/core/time/start-of-day";
import { costKindColumns } from "../database/cost-kind-columns.ts";
import { histogramColumns } from "../database/latency-histogram.ts";
import { KeyedRows } from "../engine/keyed-rows.ts";

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
  /** Calls that are in a session. */
  readonly sessionCalls: number;
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

/** Of an agent's config version. */
export const versionColumns = [...totalColumns, "session_calls"] as const;

/** The subject of calls without one. */
const NOBODY = 0;

/** The encoding of `subject_hours.kind`, stored permanently. */
export const subjectKinds = { config_version: 1, used_key: 2, customer: 3 } as const;

const KEYS = 4;
const SESSION_CALLS = KEYS + totalColumns.length;
const HISTOGRAM = KEYS + totalColumns.length + 1;
const COST_KINDS = HISTOGRAM + histogramColumns.length;

/**
 * Sums by hour and by day. Agent 0 means all agents, model 0 all models: the most frequent queries, the whole
 * organization by model and every agent's total, then need only a few rows per day. An event is added to one row per
 * kind of sum; all other rows are sums of those. Rows are in the order of their keys.
 */
export class RollupSums {
  readonly #hours = new KeyedRows(noCalls);
  readonly #subjectHours = new KeyedRows(noTotals);
  readonly #versionDays = new KeyedRows(noVersionTotals);

  add({ scope, agent, model, customer, configVersion, usedKey }: Dimensions, part: Contribution): void {
    const hour = startOfHour(part.at);
    const version = configVersion ?? NOBODY;
    const subject = (kind: number, id: number) => this.#subjectHours.row(scope, kind, hour, id);
    addCall(this.#hours.row(scope, agent, hour, model), part);
    addTotals(subject(subjectKinds.config_version, version), KEYS, part);
    addTotals(subject(subjectKinds.used_key, usedKey ?? NOBODY), KEYS, part);
    addTotals(subject(subjectKinds.customer, customer ?? NOBODY), KEYS, part);
    const versionDay = this.#versionDays.row(scope, agent, startOfDay(part.at), version);
    addTotals(versionDay, KEYS, part);
    increase(versionDay, SESSION_CALLS, part.sessionCalls);
  }

  /** scope, agent, time, model, then `rollupColumns`. */
  rollups(): { readonly hours: number[][]; readonly days: number[][] } {
    const sums = new KeyedRows(noCalls);
    for (const row of this.#hours.sorted()) {
      const { first: scope, second: agent, time, fourth: model } = keysOf(row);
      addSums(sums.row(scope, agent, time, model), row);
      addSums(sums.row(scope, 0, time, model), row);
      addSums(sums.row(scope, agent, time, 0), row);
    }
    const hours = sums.sorted();
    return { hours, days: daysOf(hours, noCalls) };
  }

  /** Hours and days: scope, kind, time, subject, then `totalColumns`. Customers: scope, customer, time. */
  subjects(): {
    readonly hours: number[][];
    readonly days: number[][];
    readonly customerDays: number[][];
    readonly customerWeeks: number[][];
  } {
    const hours = this.#subjectHours.sorted();
    const days: number[][] = [];
    const customerDays = new KeyedRows(noTotalsOfCustomer);
    const customerWeeks = new KeyedRows(noTotalsOfCustomer);
    for (const row of daysOf(hours, noTotals)) {
      const { first: scope, second: kind, time, fourth: subject } = keysOf(row);
      if (kind === subjectKinds.customer) {
        addSums(customerDays.row(scope, subject, time, kind), row);
        addSums(customerWeeks.row(scope, subject, startOf(time, WEEK_MS), kind), row);
      } else days.push(row);
    }
    return { hours, days, customerDays: customerDays.sorted(), customerWeeks: customerWeeks.sorted() };
  }

  /** scope, agent, day, config version, then `versionColumns`. */
  agentVersionDays(): number[][] {
    return this.#versionDays.sorted();
  }
}

function keysOf(row: readonly number[]) {
  return { first: row[0] ?? 0, second: row[1] ?? 0, time: row[2] ?? 0, fourth: row[3] ?? 0 };
}

type NoSums = (scope: number, second: number, time: number, fourth: number) => number[];

const noSums = (columns: readonly string[]) => columns.map(() => 0);
const zeroCalls = noSums(rollupColumns);
const zeroTotals = noSums(totalColumns);
const zeroVersionTotals = noSums(versionColumns);
const noCalls: NoSums = (...keys) => keys.concat(zeroCalls);
const noTotals: NoSums = (...keys) => keys.concat(zeroTotals);
const noVersionTotals: NoSums = (...keys) => keys.concat(zeroVersionTotals);
/** In their tables, all subjects are of one kind. */
const noTotalsOfCustomer: NoSums = (scope, customer, time) => [scope, customer, time].concat(zeroTotals);

function daysOf(hours: readonly (readonly number[])[], noSumsOf: NoSums): number[][] {
  const days = new KeyedRows(noSumsOf);
  for (const row of hours) {
    const { first, second, time, fourth } = keysOf(row);
    addSums(days.row(first, second, startOfDay(time), fourth), row);
  }
  return days.sorted();
}

/** The sums are the last in both rows; `to` may have fewer keys. */
function addSums(to: number[], row: readonly number[]): void {
  const fewer = row.length - to.length;
  for (let index = KEYS; index < row.length; index++) increase(to, index - fewer, row[index] ?? 0);
}

function addCall(row: number[], part: Contribution): void {
  addTotals(row, KEYS, part);
  increase(row, HISTOGRAM - 1, part.latencyMs);
  if (part.bucket !== null) increase(row, HISTOGRAM + part.bucket, part.calls);
  for (const name in part.costByKind) {
    const kind = name as CostKind;
    increase(row, COST_KINDS + costKinds.indexOf(kind), part.costByKind[kind] ?? 0);
  }
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
