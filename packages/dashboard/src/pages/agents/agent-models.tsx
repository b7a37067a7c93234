import { useNavigate } from "@tanstack/react-router";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count, percent, shareOf } from "../../format/counts.ts";
import { duration } from "../../format/time.ts";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty } from "../../parts/states.tsx";
import { callsSearch } from "../calls/calls-search.ts";

type Line = Output<"analytics.get">["by_model"][number];
type ModelRow = Line & { readonly shareOfCost: number | null; readonly perCallMicrocents: number | null };

const columns: readonly Column<ModelRow>[] = [
  {
    id: "model",
    title: "Model",
    width: "minmax(120px, 2fr)",
    onPhone: "title",
    value: ({ model }) => model,
    cell: ({ model }) => <Name name={model} maxLength={60} />,
  },
  {
    id: "calls",
    title: "Calls",
    isNumber: true,
    width: "minmax(60px, 0.7fr)",
    value: ({ call_count }) => call_count,
    cell: ({ call_count }) => count(call_count),
  },
  {
    id: "duration",
    title: "Average",
    isNumber: true,
    width: "minmax(66px, 0.7fr)",
    value: ({ avg_latency_ms }) => avg_latency_ms,
    cell: ({ avg_latency_ms }) => duration(avg_latency_ms),
  },
  {
    id: "per-call",
    title: "Per call",
    isNumber: true,
    width: "minmax(96px, 1fr)",
    value: ({ perCallMicrocents }) => perCallMicrocents,
    cell: ({ perCallMicrocents }) => <Money microcents={perCallMicrocents} />,
  },
  {
    id: "share",
    title: "Share",
    isNumber: true,
    width: "minmax(74px, 0.6fr)",
    value: ({ shareOfCost }) => shareOfCost,
    cell: ({ shareOfCost }) => percent(shareOfCost),
  },
  {
    id: "spend",
    title: "Spend",
    isNumber: true,
    width: "minmax(216px, 1fr)",
    onPhone: "amount",
    value: ({ cost_microcents }) => cost_microcents,
    cell: ({ cost_microcents, unpriced_calls }) => (
      <CostSum microcents={cost_microcents} unpricedCalls={unpriced_calls} />
    ),
  },
];

export function AgentModels({ agentId }: { readonly agentId: string }) {
  const { range } = useView();
  const navigate = useNavigate();
  const query = useOperation("analytics.get", { agent_id: agentId, from: range.from, to: range.to });
  const rows = query.data?.by_model.map(line => {
    const perCall = shareOf(line.cost_microcents, line.call_count - line.unpriced_calls);
    return {
      ...line,
      shareOfCost: shareOf(line.cost_microcents, query.data.summary.total_cost_microcents),
      perCallMicrocents: perCall === null ? null : Math.round(perCall),
    };
  });
  return (
    <Card title="Models" className="wide" note={`${range.title}; average duration`}>
      <DataTable
        label="Models of this agent"
        columns={columns}
        rows={rows}
        rowKey={({ model }) => model}
        sorting={{ id: "spend", desc: true }}
        onOpen={({ model }) =>
          void navigate({ to: "/calls", search: callsSearch({ agent: agentId, model }) })
        }
        empty={<Empty title="No calls in this time range" />}
      />
    </Card>
  );
}
