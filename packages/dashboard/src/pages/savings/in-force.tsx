import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { count } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty } from "../../parts/states.tsx";
import { AgentLink } from "./agent-link.tsx";
import { changeTitles, savingReads } from "./saving-words.ts";

type Applied = Output<"optimizations.summary">["applied"][number];

const MOST = 50;

/** Changes in force, each with its savings so far. */
export function InForce() {
  const { can } = useRole();
  const query = useOperation("optimizations.summary", {});
  const applied = query.data?.applied;
  const columns: readonly Column<Applied>[] = [
    {
      id: "agent",
      title: "Agent",
      onPhone: "title",
      cell: ({ agent_id }) => <AgentLink id={agent_id} />,
    },
    {
      id: "change",
      title: "Change",
      width: "minmax(240px, 2fr)",
      value: ({ type }) => changeTitles[type] ?? type,
      cell: ({ type, model }) => (
        <>
          {changeTitles[type]}
          {model !== null && (
            <>
              {" "}
              to <Name name={model} maxLength={40} />
            </>
          )}
        </>
      ),
    },
    {
      id: "since",
      title: "Since",
      value: ({ applied_at }) => applied_at,
      cell: ({ applied_at }) => <Moment at={applied_at} />,
    },
    {
      id: "calls",
      title: "Calls since",
      isNumber: true,
      value: ({ calls_since }) => calls_since,
      cell: ({ calls_since }) => <span className="figure">{count(calls_since)}</span>,
    },
    {
      id: "saved",
      title: "Saved since",
      isNumber: true,
      onPhone: "amount",
      value: ({ saved_microcents }) => saved_microcents,
      cell: ({ saved_microcents }) => <Money microcents={saved_microcents} />,
    },
    ...(can("agents.optimizations.undo")
      ? [
          {
            id: "undo",
            title: "Actions",
            width: "84px",
            cell: (one: Applied) => <UndoButton applied={one} />,
          },
        ]
      : []),
  ];
  return (
    <Card
      title="In force"
      note="What the gateway does differently today. Saved: what the calls would have cost with the requested model, minus what they cost; – if unknown"
    >
      <DataTable
        label="Changes in force"
        columns={columns}
        rows={applied}
        rowKey={({ optimization_id }) => optimization_id}
        empty={<Empty title="No changes in force">Apply a suggestion, or approve a verdict.</Empty>}
        foot={
          applied?.length === MOST && (
            <p className="muted">The newest {MOST}; each agent’s page lists all of its changes.</p>
          )
        }
      />
    </Card>
  );
}

function UndoButton({ applied }: { readonly applied: Applied }) {
  const undo = useChange("agents.optimizations.undo", {
    refreshes: savingReads,
    done: "Undone; takes effect within a second",
  });
  return (
    <Button
      isBusy={undo.isPending}
      onClick={() => undo.mutate({ id: applied.agent_id, optimization_id: applied.optimization_id })}
    >
      Undo
    </Button>
  );
}
