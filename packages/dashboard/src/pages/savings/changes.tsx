import { type Output, useOperation } from "../../data/use-operation.ts";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { AgentLink } from "./agent-link.tsx";
import { changeTitles, inWords } from "./saving-words.ts";

type Actuation = Output<"loop_views.actuations">["actuations"][number];

const columns: readonly Column<Actuation>[] = [
  {
    id: "time",
    title: "Applied",
    value: ({ timing }) => timing.applied_at,
    cell: ({ timing }) => <Moment at={timing.applied_at} />,
  },
  {
    id: "agent",
    title: "Agent",
    onPhone: "title",
    cell: ({ agent_id }) => <AgentLink id={agent_id} />,
  },
  {
    id: "change",
    title: "Change",
    value: ({ action_type, change }) => `${action_type} ${change}`,
    cell: ({ action_type, change }) => (
      <>
        {changeTitles[action_type]}: {change}
      </>
    ),
  },
  {
    id: "by",
    title: "By",
    width: "minmax(120px, 1.4fr)",
    value: ({ actor }) => actor,
    cell: ({ authority, actor }) => (
      <>
        <Tag>{inWords(authority)}</Tag> <Name name={actor} maxLength={40} />
      </>
    ),
  },
  {
    id: "obeyed",
    title: "First obeyed",
    value: ({ timing }) => timing.first_obeyed_at,
    cell: ({ timing }) => <Moment at={timing.first_obeyed_at} />,
  },
  {
    id: "rollback",
    title: "Taken back",
    value: ({ rollback }) => rollback.at,
    cell: ({ rollback }) =>
      rollback.state === "none" ? (
        <span className="muted">no</span>
      ) : (
        <>
          <Moment at={rollback.at} />{" "}
          {rollback.reason !== null && <Tag kind="warning">{inWords(rollback.reason)}</Tag>}
        </>
      ),
  },
];

/** Every change that the gateway obeys: who made it, when a call first obeyed it, and whether it was taken back. */
export function Changes() {
  const query = useOperation("loop_views.actuations", { limit: 200 });
  return (
    <Card title="Log of changes" note="What the gateway was told, newest first">
      <DataTable
        label="Log of changes"
        columns={columns}
        rows={query.data?.actuations}
        rowKey={({ id }) => id}
        height="320px"
        empty={<Empty title="No changes yet" />}
      />
    </Card>
  );
}
