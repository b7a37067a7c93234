import { changeSince, count, percent, shareOf, signedPercent } from "../format/counts.ts";
import type { Column } from "./data-table.tsx";
import { CostSum } from "./money.tsx";

const MICROCENTS_PER_DOLLAR = 10_000_000;

interface Calls {
  readonly call_count: number | null;
  readonly error_count: number | null;
}

interface Cost {
  readonly cost_microcents: number;
  readonly unpriced_calls: number | null;
}

interface ComparedCost extends Cost {
  readonly previous: { readonly cost_microcents: number } | null;
}

export function callsColumn(width: string): Column<Calls> {
  return {
    id: "calls",
    title: "Calls",
    isNumber: true,
    width,
    value: ({ call_count }) => call_count,
    cell: ({ call_count }) => count(call_count),
  };
}

export function failedColumn(width: string): Column<Calls> {
  const errorRate = ({ call_count, error_count }: Calls) =>
    call_count === null || error_count === null ? null : shareOf(error_count, call_count);
  return {
    id: "errors",
    title: "Failed",
    isNumber: true,
    width,
    value: errorRate,
    cell: row => percent(errorRate(row)),
  };
}

/** Of the cost, compared with the period before. */
export function changeColumn(width: string): Column<ComparedCost> {
  const change = ({ previous, cost_microcents }: ComparedCost) =>
    changeSince(previous?.cost_microcents, cost_microcents);
  return {
    id: "change",
    title: "vs previous",
    isNumber: true,
    width,
    value: change,
    cell: row => signedPercent(change(row)),
  };
}

export function costColumn(id: string, title: string): Column<Cost> {
  return {
    id,
    title,
    isNumber: true,
    width: "minmax(216px, 0.9fr)",
    onPhone: "amount",
    value: ({ cost_microcents }) => cost_microcents / MICROCENTS_PER_DOLLAR,
    cell: ({ cost_microcents, unpriced_calls }) => (
      <CostSum microcents={cost_microcents} unpricedCalls={unpriced_calls} />
    ),
  };
}
