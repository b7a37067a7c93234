import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type LiveTopology, useLiveTopology } from "../../data/live.tsx";
import { count } from "../../format/counts.ts";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { MiddleCutName } from "../../parts/middle-cut-name.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Empty, Skeleton } from "../../parts/states.tsx";
import { TopologyPicture } from "./topology-picture.tsx";

interface HandOver {
  readonly key: string;
  readonly from: LiveTopology["nodes"][number];
  readonly to: LiveTopology["nodes"][number];
  readonly edge: LiveTopology["edges"][number];
}

const columns: readonly Column<HandOver>[] = [
  {
    id: "from",
    title: "From",
    width: "minmax(120px, 1fr)",
    onPhone: "title",
    value: ({ from }) => from.name,
    cell: ({ from }) => <MiddleCutName name={from.name} />,
  },
  {
    id: "to",
    title: "To",
    width: "minmax(120px, 1fr)",
    value: ({ to }) => to.name,
    cell: ({ to }) => <MiddleCutName name={to.name} />,
  },
  {
    id: "count",
    title: "Hand-overs",
    isNumber: true,
    width: "minmax(90px, 0.5fr)",
    value: ({ edge }) => edge.count,
    cell: ({ edge }) => count(edge.count),
  },
  {
    id: "cost",
    title: "Cost of the calls they lead to",
    isNumber: true,
    width: "minmax(216px, 0.8fr)",
    onPhone: "amount",
    value: ({ edge }) => edge.cost_microcents,
    cell: ({ edge }) => <CostSum microcents={edge.cost_microcents} unpricedCalls={edge.unpriced_calls} />,
  },
];

/** Which agents hand over to which, within sessions, as it happens. */
export function TopologyPage() {
  const topology = useLiveTopology();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<string | null>(null);
  if (topology === null) {
    return (
      <Card title="Hand-overs">
        <Skeleton height={320} />
      </Card>
    );
  }
  const byId = new Map(topology.nodes.map(node => [node.agent_id, node]));
  const rows = topology.edges.flatMap(edge => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
    return from === undefined || to === undefined ? [] : [{ key: `${edge.from} ${edge.to}`, from, to, edge }];
  });
  const shownRows = chosen === null ? rows : rows.filter(({ edge }) => [edge.from, edge.to].includes(chosen));
  return (
    <div className="subject">
      <Card
        title="Hand-overs"
        note={
          <>
            Calls since <Moment at={topology.since} />, live. A line leads from an agent to the one that calls
            next in the same session.
          </>
        }
      >
        {topology.nodes.length === 0 ? (
          <Empty title="No calls in the last 24 hours">
            Agents appear with their calls, and lines between those that share a session.
          </Empty>
        ) : (
          <TopologyPicture
            topology={topology}
            chosen={chosen}
            onChoose={setChosen}
            onOpen={agentId => void navigate({ to: "/agents/$agentId", params: { agentId } })}
          />
        )}
      </Card>
      <Card
        title="As a table"
        className="topology-table"
        note={chosen === null ? undefined : "Only the selected agent"}
      >
        <DataTable
          label="Hand-overs"
          isMain
          columns={columns}
          rows={shownRows}
          rowKey={({ key }) => key}
          sorting={{ id: "count", desc: true }}
          height="420px"
          onOpen={({ to }) => void navigate({ to: "/agents/$agentId", params: { agentId: to.agent_id } })}
          empty={<Empty title="No agent handed over to another" />}
        />
      </Card>
    </div>
  );
}
