import { count, percent, shareOf } from "../../format/counts.ts";
import { UNKNOWN } from "../../format/unknown.ts";
import type { Column } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Skeleton } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { gradeKinds } from "./agent-health.tsx";
import { AgentTags } from "./agent-tags.tsx";
import type { AgentSums } from "./use-agent-sums.ts";
import type { Agent } from "./use-all-agents.ts";
import type { Health } from "./use-health.ts";

export interface AgentRow extends Agent {
  /** undefined: still loading. null: not known. */
  readonly sums: AgentSums | null | undefined;
  readonly health: Health | undefined;
}

const errorRate = ({ sums }: AgentRow) => (sums == null ? null : shareOf(sums.errors, sums.calls));

export const agentColumns: readonly Column<AgentRow>[] = [
  {
    id: "name",
    title: "Agent",
    width: "minmax(160px, 2fr)",
    onPhone: "title",
    value: ({ name }) => name,
    cell: ({ name }) => <Name name={name} maxLength={60} />,
  },
  {
    id: "key",
    title: "Key",
    isOptional: true,
    value: ({ agent_key }) => agent_key,
    cell: ({ agent_key }) => <Name name={agent_key} maxLength={40} />,
  },
  {
    id: "status",
    title: "Status",
    width: "minmax(136px, 0.9fr)",
    value: ({ status, paused }) => (paused ? "paused" : status),
    cell: agent => <AgentTags agent={agent} />,
  },
  {
    id: "calls",
    title: "Calls",
    isNumber: true,
    width: "minmax(76px, 0.6fr)",
    value: ({ sums }) => sums?.calls ?? null,
    cell: ({ sums }) => (sums === undefined ? <Skeleton height={14} /> : count(sums?.calls)),
  },
  {
    id: "errors",
    title: "Failed",
    isNumber: true,
    width: "minmax(70px, 0.6fr)",
    value: errorRate,
    cell: row => (row.sums === undefined ? <Skeleton height={14} /> : percent(errorRate(row))),
  },
  {
    id: "health",
    title: "Health",
    isNumber: true,
    width: "minmax(80px, 0.6fr)",
    value: ({ health }) => health?.score ?? null,
    cell: ({ health }) =>
      health == null || health.grade === null ? (
        UNKNOWN
      ) : (
        <>
          {health.score} <Tag kind={gradeKinds[health.grade]}>{health.grade}</Tag>
        </>
      ),
  },
  {
    id: "category",
    title: "Category",
    isOptional: true,
    value: ({ category }) => category,
    cell: ({ category }) => (category === null ? UNKNOWN : <Name name={category} maxLength={30} />),
  },
  {
    id: "seen",
    title: "Registered",
    isOptional: true,
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  {
    id: "last",
    title: "Last call",
    width: "minmax(90px, 0.7fr)",
    value: ({ last_call_at }) => last_call_at,
    cell: ({ last_call_at }) => <Moment at={last_call_at} as="ago" />,
  },
  {
    id: "spend",
    title: "Spend",
    isNumber: true,
    width: "minmax(216px, 0.9fr)",
    onPhone: "amount",
    value: ({ sums }) => (sums == null ? null : sums.costMicrocents / 10_000_000),
    cell: ({ sums }) =>
      sums === undefined ? (
        <Skeleton height={14} />
      ) : (
        <CostSum microcents={sums?.costMicrocents} unpricedCalls={sums?.unpricedCalls} />
      ),
  },
];
