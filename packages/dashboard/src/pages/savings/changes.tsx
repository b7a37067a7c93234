import { type Output, useOperation } from "../../data/use-operation.ts";
import { fullTime } from "../../format/time.ts";
import { Actor } from "../../parts/actor.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { AgentLink } from "./agent-link.tsx";
import { changeTitles, inWords } from "./saving-words.ts";

type Actuation = Output<"loop_views.actuations">["actuations"][number];

const columns: readonly Column<Actuation>[] = [
  {
    id: "time",
    title: "Applied",
    width: "120px",
    value: ({ timing }) => timing.applied_at,
    cell: ({ timing }) => <Moment at={timing.applied_at} />,
  },
  {
    id: "agent",
    title: "Agent",
    width: "minmax(120px, 1fr)",
    onPhone: "title",
    cell: ({ agent_id }) => <AgentLink id={agent_id} />,
  },
  {
    id: "change",
    title: "Change",
    width: "minmax(140px, 1.3fr)",
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
    width: "minmax(190px, 1.6fr)",
    value: ({ actor }) => actor,
    cell: ({ authority, actor }) => (
      <>
        <Tag>{inWords(authority)}</Tag> <Actor name={actor} maxLength={40} />
      </>
    ),
  },
  {
    id: "obeyed",
    title: "Took effect",
    width: "120px",
    value: ({ timing }) => timing.first_obeyed_at,
    cell: ({ timing }) => <Moment at={timing.first_obeyed_at} />,
  },
  {
    id: "breaker",
    title: "Breaker",
    width: "minmax(122px, 1fr)",
    value: ({ breaker }) => breaker?.state ?? null,
    cell: one => <BreakerCell {...one} />,
  },
  {
    id: "rollback",
    title: "Undone",
    width: "minmax(70px, 0.7fr)",
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

function BreakerCell({ breaker, rollback }: Actuation) {
  switch (breaker?.state) {
    case undefined:
      return <span className="figure">–</span>;
    case "watching":
      return (
        <Tag kind="accent" title={`Undoes the switch if it makes calls worse${untilOf(breaker)}`}>
          watching
        </Tag>
      );
    case "tripped":
      return (
        <Tag kind="bad" title="It undid the switch; the alert has the numbers before and after">
          tripped{rollback.reason !== null && `: ${inWords(rollback.reason)}`}
        </Tag>
      );
    case "off":
      return (
        <Tag kind="warning" title="Turned off for this agent in the organization’s settings">
          off
        </Tag>
      );
    case "over":
      return <span className="muted">no longer watched</span>;
  }
}

function untilOf(breaker: Actuation["breaker"]): string {
  return breaker?.until == null ? "" : `, until ${fullTime(breaker.until)}`;
}

/** Every change that the gateway obeys: who made it, when a call first obeyed it, and whether it was taken back. */
export function Changes() {
  const query = useOperation("loop_views.actuations", { limit: 200 });
  return (
    <Card title="Log of changes" note="Every change to what the gateway does, newest first">
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
