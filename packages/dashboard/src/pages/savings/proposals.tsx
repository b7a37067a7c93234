import { type Output, useOperation } from "../../data/use-operation.ts";
import { dollars } from "../../format/money.ts";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { AgentLink } from "./agent-link.tsx";
import { Estimate } from "./estimate.tsx";
import { changeTitles, inWords } from "./saving-words.ts";

type Proposal = Output<"loop_views.proposals">["proposals"][number];

const statusKinds: Readonly<Record<Proposal["status"], "good" | "warning" | "plain" | "accent">> = {
  open: "accent",
  blocked: "warning",
  approved: "good",
  applied: "good",
  dismissed: "plain",
  superseded: "plain",
  expired: "plain",
};

const columns: readonly Column<Proposal>[] = [
  {
    id: "agent",
    title: "Agent",
    width: "minmax(120px, 1.2fr)",
    onPhone: "title",
    cell: ({ agent_id }) => <AgentLink id={agent_id} />,
  },
  {
    id: "action",
    title: "Change",
    width: "minmax(104px, 1fr)",
    value: ({ action_type }) => changeTitles[action_type] ?? action_type,
    cell: ({ action_type }) => changeTitles[action_type],
  },
  {
    id: "status",
    title: "State",
    width: "minmax(210px, 1.2fr)",
    value: ({ status }) => status,
    cell: ({ status, blocked_reason }) => (
      <Tag kind={statusKinds[status]}>
        {status}
        {blocked_reason !== null && `: ${inWords(blocked_reason)}`}
      </Tag>
    ),
  },
  {
    id: "risk",
    title: "Risk",
    value: ({ axes }) => axes.risk,
    cell: ({ axes, d_class }) => (
      <span title={`${d_class}; to undo: ${inWords(axes.reversibility)}`}>{axes.risk}</span>
    ),
  },
  {
    id: "source",
    title: "From",
    width: "minmax(88px, 1fr)",
    value: ({ source }) => inWords(source),
    cell: ({ source }) => inWords(source),
  },
  {
    id: "updated",
    title: "Changed",
    width: "minmax(110px, 1fr)",
    value: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Moment at={updated_at} />,
  },
  {
    id: "impact",
    title: "Saves per month",
    isNumber: true,
    width: "minmax(184px, 0.6fr)",
    onPhone: "amount",
    value: ({ estimated_impact }) => estimated_impact.monthly_microcents.value,
    cell: ({ estimated_impact }) => (
      <Estimate of={estimated_impact.monthly_microcents} format={amount => dollars(Math.round(amount))} />
    ),
  },
];

/** Proposals of suggestions, leak checks and verdicts, with what blocks each. */
export function Proposals() {
  const query = useOperation("loop_views.proposals", { limit: 200 });
  return (
    <Card
      title="Proposals"
      note="Possible changes, from suggestions, leak checks and verdicts, with an estimate of what each would save and what blocks it. Nothing here has been saved yet"
    >
      <DataTable
        label="Proposals"
        columns={columns}
        rows={query.data?.proposals}
        rowKey={({ id }) => id}
        sorting={{ id: "impact", desc: true }}
        height="420px"
        empty={<Empty title="No proposals" />}
      />
    </Card>
  );
}
