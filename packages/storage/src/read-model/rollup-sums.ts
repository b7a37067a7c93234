import { type CostKind, costKinds } from "@tollgate/core/money/cost-kinds";
import type { CostByKind } from "@tollgate/core/pricing/split-cost";
import { costKindColumns } from "../database/cost-kind-columns.ts";
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
 * organization by model and every agent's total, then need only a few rows per day.
 */
export class RollupSums {
  /** scope, agent, model, time, then `rollupColumns`. */
  readonly hours = new Map<string, number[]>();
  readonly days = new Map<string, number[]>();
  /** scope, customer, day, then `totalColumns`. */
  readonly customerDays = new Map<string, number[]>();
  /** scope, kind, subject, time, then `totalColumns`. */
  readonly subjectHours = new Map<string, number[]>();
  readonly subjectDays = new Map<string, number[]>();

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
    this.#addCustomerDay(part, day);
    for (const [kind, subject] of [
      [subjectKinds.config_version, part.configVersion],
      [subjectKinds.used_key, part.usedKey],
    ] as const) {
      addSubject(this.subjectHours, part, kind, subject ?? NOBODY, hour);
      addSubject(this.subjectDays, part, kind, subject ?? NOBODY, day);
    }
    addSubject(this.subjectHours, part, subjectKinds.customer, part.customer ?? NOBODY, hour);
  }

  #addCustomerDay(part: Contribution, day: number): void {
    const customer = part.customer ?? NOBODY;
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
    row = new Array<number>(ROW_LENGTH).fill(0);
    row[0] = part.scope;
    row[1] = agent;
    row[2] = model;
    row[3] = time;
    sums.set(key, row);
  }
  addTotals(row, KEYS, part);
  increase(row, HISTOGRAM - 1, part.latencyMs);
  if (part.bucket !== null) increase(row, HISTOGRAM + part.bucket, part.calls);
  for (const name in part.costByKind) {
    const kind = name as CostKind;
    increase(row, COST_KINDS + costKinds.indexOf(kind), part.costByKind[kind] ?? 0);
  }
}

function addSubject(
  sums: Map<string, number[]>,
  part: Contribution,
  kind: number,
  subject: number,
  time: number,
): void {
  const key = `${part.scope} ${kind} ${subject} ${time}`;
  let row = sums.get(key);
  if (row === undefined) {
    row = [part.scope, kind, subject, time, ...totalColumns.map(() => 0)];
    sums.set(key, row);
  }
  addTotals(row, KEYS, part);
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
