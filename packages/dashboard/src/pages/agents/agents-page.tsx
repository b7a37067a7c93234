import { useNavigate, useSearch } from "@tanstack/react-router";
import { plusUnpriced } from "@tollgate/core/alerts/plus-unpriced";
import { useMemo } from "react";
import { useView } from "../../data/view.tsx";
import { count, plural } from "../../format/counts.ts";
import { dollars } from "../../format/money.ts";
import { plainName } from "../../format/name.ts";
import { ColumnMenu, useColumnChoice } from "../../parts/column-choice.tsx";
import { CsvButton } from "../../parts/csv-button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { Empty, Problem } from "../../parts/states.tsx";
import { agentColumns } from "./agent-columns.tsx";
import { type AgentState, agentStates } from "./agent-states.ts";
import { useAgentSums } from "./use-agent-sums.ts";
import { type Agent, useAllAgents } from "./use-all-agents.ts";
import { useHealth } from "./use-health.ts";

const stateTitles: Readonly<Record<AgentState, string>> = {
  active: "Active",
  idle: "Idle",
  error: "Failing",
  archived: "Archived",
  paused: "Paused",
};

export function AgentsPage() {
  const { range } = useView();
  const navigate = useNavigate({ from: "/agents" });
  const { q = "", state } = useSearch({ from: "/agents" });
  const choice = useColumnChoice("agents", agentColumns);
  const { agents, total, isComplete, fault, isFetching, retry } = useAllAgents();
  const sums = useAgentSums();
  const health = useHealth().data;
  const rows = useMemo(
    () =>
      agents
        ?.filter(agent => matches(agent, q, state))
        .map(agent => ({ ...agent, sums: sums.of(agent.id), health: health?.get(agent.id) })),
    [agents, q, state, sums, health],
  );
  const isPartial = sums.groupCount !== undefined && sums.knownCount < sums.groupCount;
  const shown = agentColumns.filter(({ id }) => !choice.hidden.has(id));
  return (
    <>
      <div className="toolbar">
        <div className="agents-search">
          <input
            className="input"
            type="search"
            aria-label="Search agents"
            placeholder="Name or key"
            value={q}
            onChange={({ target: { value } }) =>
              void navigate({ search: before => ({ ...before, q: value || undefined }), replace: true })
            }
          />
          <ChoiceField
            isLabelHidden
            label="Status"
            value={state ?? ""}
            options={[
              { value: "", label: "All but archived" },
              ...agentStates.map(value => ({ value, label: stateTitles[value] })),
            ]}
            onChange={chosen =>
              void navigate({
                search: before => ({ ...before, state: chosen === "" ? undefined : chosen }),
                replace: true,
              })
            }
          />
        </div>
        <p className="muted figure" role="status">
          {rows !== undefined &&
            (isComplete
              ? plural(rows.length, "agent")
              : `${count(agents?.length)} of ${count(total)} agents loaded so far`)}
          {isPartial && `. Calls and spend are shown for the ${count(sums.knownCount)} most expensive`}
          {sums.verifications !== null &&
            `; verifications: ${plural(sums.verifications.calls, "call")}, ${dollars(sums.verifications.costMicrocents)}${plusUnpriced(sums.verifications.unpricedCalls)}`}
        </p>
        <div className="card-actions">
          <ColumnMenu columns={agentColumns} choice={choice} />
          <CsvButton name="agents" columns={shown} rows={isComplete ? rows : undefined} />
        </div>
      </div>
      {fault !== null && agents === undefined ? (
        <Problem message={fault.message} isRetrying={isFetching} onRetry={retry} />
      ) : (
        <div className="card table-card">
          <DataTable
            label={`Agents, ${range.title}`}
            isMain
            columns={agentColumns}
            rows={rows}
            rowKey={({ id }) => id}
            hidden={choice.hidden}
            sorting={{ id: "spend", desc: true }}
            height="calc(100dvh - 190px - var(--banner-height))"
            onOpen={({ id }) => void navigate({ to: "/agents/$agentId", params: { agentId: id } })}
            empty={
              <Empty
                title={
                  agents?.length === 0
                    ? "No agents yet"
                    : isComplete
                      ? "No matching agents"
                      : "None of those loaded so far"
                }
              >
                {agents?.length === 0 &&
                  "An agent appears with its first call: the header X-Agent-ID names it."}
              </Empty>
            }
          />
        </div>
      )}
    </>
  );
}

function matches(agent: Agent, q: string, state: AgentState | undefined): boolean {
  const isState =
    state === undefined
      ? agent.status !== "archived"
      : state === "paused"
        ? agent.paused
        : agent.status === state;
  if (!isState || q === "") return isState;
  const wanted = q.toLowerCase();
  return [agent.name, agent.agent_key].some(text => plainName(text).toLowerCase().includes(wanted));
}
