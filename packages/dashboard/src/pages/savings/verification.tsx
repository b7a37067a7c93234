import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count, shareOf } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { figureOf, Stat } from "../../parts/stat.tsx";
import { Empty, Problem } from "../../parts/states.tsx";
import { AgentLink } from "./agent-link.tsx";
import { Estimate } from "./estimate.tsx";
import { Policies } from "./policies.tsx";
import { score } from "./score.ts";
import { RequestTag, VerdictTag } from "./verdict-tag.tsx";
import { VerificationForm } from "./verification-form.tsx";

type Request = Output<"verify.requests.list">["requests"][number];

const columns: readonly Column<Request>[] = [
  {
    id: "switch",
    title: "Switch",
    width: "minmax(200px, 1.8fr)",
    onPhone: "title",
    value: ({ prod_model, candidate_model }) => `${prod_model} to ${candidate_model}`,
    cell: ({ prod_model, candidate_model }) => (
      <>
        <Name name={prod_model} maxLength={32} /> to <Name name={candidate_model} maxLength={32} />
      </>
    ),
  },
  {
    id: "agent",
    title: "Agent",
    width: "minmax(110px, 1fr)",
    cell: ({ agent_id }) => <AgentLink id={agent_id} />,
  },
  {
    id: "state",
    title: "State",
    width: "minmax(180px, 1.1fr)",
    value: ({ status, verdict }) => verdict?.verdict ?? status,
    cell: request =>
      request.verdict === null ? <RequestTag request={request} /> : <VerdictTag verdict={request.verdict} />,
  },
  {
    id: "pairs",
    title: "Progress",
    width: "minmax(112px, 0.8fr)",
    value: ({ progress }) => progress.pairs,
    cell: ({ progress }) => <Pairs progress={progress} />,
  },
  {
    id: "score",
    title: "Mean score",
    isNumber: true,
    width: "minmax(160px, 1.1fr)",
    value: ({ progress }) => progress.score.value,
    cell: ({ progress }) => <Estimate of={progress.score} format={score} />,
  },
  {
    id: "spent",
    title: "Spent",
    isNumber: true,
    value: ({ progress }) => progress.spent_microcents,
    cell: ({ progress }) => (
      <CostSum microcents={progress.spent_microcents} unpricedCalls={progress.unpriced_calls} />
    ),
  },
  {
    id: "began",
    title: "Began",
    width: "112px",
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
];

/** Pairs are counted, and the verdict is reached, a moment after the calls that the live channel reports. */
export function isUnfinished({ status }: Request): boolean {
  return status === "queued" || status === "collecting";
}

export function Pairs({ progress }: { readonly progress: Request["progress"] }) {
  return (
    <div className="verification-pairs">
      <span className="figure" data-pairs={progress.pairs}>
        {count(progress.pairs)} <span className="muted">of {count(progress.max_pairs)} pairs</span>
      </span>
      <Meter
        label="Pairs"
        text={`${progress.pairs} of at most ${progress.max_pairs}`}
        share={shareOf(progress.pairs, progress.max_pairs) ?? 0}
      />
    </div>
  );
}

/** Whether switches to other models hold quality: requests, verdicts, policies, balance. */
export function Verification() {
  const { can } = useRole();
  const { filters } = useView();
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const openKey = useParams({ strict: false, select: ({ requestId }) => requestId });
  const query = useOperation(
    "verify.requests.list",
    { limit: 200, ...(filters.agent === undefined ? {} : { agent_id: filters.agent }) },
    { isUnfinished: ({ requests }) => requests.some(isUnfinished) },
  );
  const balance = useOperation("verify.balance.get", {});
  const open = (id: string) =>
    void navigate({ to: "/savings/verification/$requestId", params: { requestId: id } });
  const fault = query.error ?? query.failureReason;
  return (
    <div className="savings">
      <Card title="Balance" note="Each verdict uses one; a verification without a verdict uses none">
        <dl className="stats">
          <Stat
            label="Available"
            name="available"
            value={figureOf(balance, ({ available }) => count(available))}
          />
          <Stat
            label="Under way"
            name="reserved"
            value={figureOf(balance, ({ reserved }) => count(reserved))}
          />
          <Stat
            label="Verdicts so far"
            name="charged"
            value={figureOf(balance, ({ charged }) => count(charged))}
          />
          <Stat label="Granted" name="granted" value={figureOf(balance, ({ granted }) => count(granted))} />
        </dl>
      </Card>
      <Card
        title="Verifications"
        note="Calls are answered again by the candidate, and both answers compared; pairs appear as they are graded"
        actions={
          can("verify.requests.create") && (
            <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
              Verify a switch
            </Button>
          )
        }
      >
        {query.data === undefined && fault !== null ? (
          <Problem
            message={fault.message}
            isRetrying={query.isFetching}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <DataTable
            label="Verifications"
            isMain
            columns={columns}
            rows={query.data?.requests}
            rowKey={({ id }) => id}
            openKey={openKey}
            onOpen={({ id }) => open(id)}
            empty={
              <Empty title="No verifications yet">
                A verification compares live or test calls of the agent.
              </Empty>
            }
            foot={
              query.data?.next_cursor != null && (
                <p className="muted">The newest {query.data.requests.length}.</p>
              )
            }
          />
        )}
      </Card>
      <Policies />
      {isOpen && (
        <VerificationForm agentId={filters.agent} onClose={() => setIsOpen(false)} onStarted={open} />
      )}
      <Outlet />
    </div>
  );
}
