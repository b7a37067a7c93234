import type { Output } from "../../data/use-operation.ts";
import { dollars } from "../../format/money.ts";
import type { Column } from "../../parts/data-table.tsx";
import { Name } from "../../parts/name.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { TokenCount } from "../../parts/token-count.tsx";
import { callsColumn, changeColumn, costColumn, failedColumn } from "../../parts/usage-columns.tsx";

export type Group = Output<"analytics.breakdown">["groups"][number];

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
  callsColumn("minmax(76px, 0.6fr)"),
  failedColumn("minmax(70px, 0.5fr)"),
  {
    id: "tokens",
    title: "Tokens",
    isNumber: true,
    width: "minmax(90px, 0.7fr)",
    value: ({ input_tokens, output_tokens }) =>
      input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens,
    cell: ({ input_tokens, output_tokens }) => (
      <TokenCount
        tokens={input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens}
      />
    ),
  },
  changeColumn("minmax(96px, 0.6fr)"),
  costColumn("spend", "Spend"),
];
