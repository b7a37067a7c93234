import type { Output } from "../../data/use-operation.ts";
import { changeSince, count, percent, shareOf, signedPercent } from "../../format/counts.ts";
import { dollars } from "../../format/money.ts";
import type { Column } from "../../parts/data-table.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";

export type Group = Output<"analytics.breakdown">["groups"][number];

const errorRate = ({ call_count, error_count }: Group) =>
  call_count === null || error_count === null ? null : shareOf(error_count, call_count);
const change = ({ previous, cost_microcents }: Group) =>
  changeSince(previous?.cost_microcents, cost_microcents);

export const customerColumns: readonly Column<Group>[] = [
  {
    id: "customer",
    title: "Customer",
    width: "minmax(160px, 2fr)",
    onPhone: "title",
    value: ({ key }) => key,
    cell: ({ key }) =>
      key === null ? (
        <span className="muted">calls without a customer</span>
      ) : (
        <Name name={key} maxLength={60} />
      ),
  },
  {
    id: "trend",
    title: "Spend over time",
    width: "120px",
    onPhone: "hidden",
    cell: ({ series }) => (
      <Sparkline
        values={series.map(({ cost_microcents }) => cost_microcents)}
        label={`From ${dollars(series[0]?.cost_microcents)} to ${dollars(series.at(-1)?.cost_microcents)}`}
      />
    ),
  },
  {
    id: "calls",
    title: "Calls",
    isNumber: true,
    width: "minmax(76px, 0.6fr)",
    value: ({ call_count }) => call_count,
    cell: ({ call_count }) => count(call_count),
  },
  {
    id: "errors",
    title: "Failed",
    isNumber: true,
    width: "minmax(70px, 0.5fr)",
    value: errorRate,
    cell: group => percent(errorRate(group)),
  },
  {
    id: "tokens",
    title: "Tokens",
    isNumber: true,
    width: "minmax(90px, 0.7fr)",
    value: ({ input_tokens, output_tokens }) =>
      input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens,
    cell: ({ input_tokens, output_tokens }) =>
      count(input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens),
  },
  {
    id: "change",
    title: "vs previous",
    isNumber: true,
    width: "minmax(84px, 0.6fr)",
    value: change,
    cell: group => signedPercent(change(group)),
  },
  {
    id: "spend",
    title: "Spend",
    isNumber: true,
    width: "minmax(120px, 0.8fr)",
    onPhone: "amount",
    value: ({ cost_microcents }) => cost_microcents / 10_000_000,
    cell: ({ cost_microcents, unpriced_calls }) => (
      <CostSum microcents={cost_microcents} unpricedCalls={unpriced_calls} />
    ),
  },
];
