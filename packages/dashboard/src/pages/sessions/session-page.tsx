import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Fragment, useMemo } from "react";
import { useOperation } from "../../data/use-operation.ts";
import { count, plural } from "../../format/counts.ts";
import { duration } from "../../format/time.ts";
import { Card } from "../../parts/card.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { CsvButton } from "../../parts/csv-button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Stat } from "../../parts/stat.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { callsSearch } from "../calls/calls-search.ts";
import { toSteps } from "./hand-overs.ts";
import { lengthMs } from "./session-columns.tsx";
import { SessionLanes } from "./session-lanes.tsx";
import { SessionOutcomes, ValueStats } from "./session-outcomes.tsx";
import { stepColumns } from "./step-columns.tsx";
import { useSessionCalls } from "./use-session-calls.ts";

const MAX_CUSTOMERS = 3;

export function SessionPage() {
  const id = useParams({ from: "/sessions/$sessionId", select: ({ sessionId }) => sessionId });
  const query = useOperation("sessions.get", { id });
  const navigate = useNavigate();
  const calls = useSessionCalls(id);
  const steps = useMemo(
    () => (calls.data === undefined ? undefined : toSteps(calls.data.calls)),
    [calls.data],
  );
  const customers = [...new Set(calls.data?.calls.flatMap(({ customer_id }) => customer_id ?? []))];
  return (
    <>
      <p className="back">
        <Link to="/sessions">
          <Icon name="left" size={12} /> Sessions
        </Link>
      </p>
      <div className="subject">
        <header className="subject-head">
          <div>
            <h2>
              <Name name={id} /> <CopyButton text={id} label="Copy the id" />
            </h2>
            <p className="muted">
              {query.data && (
                <>
                  <Moment at={query.data.first_call_at} as="full" />
                  {query.data.last_call_at !== query.data.first_call_at && (
                    <>
                      {" "}
                      to <Moment at={query.data.last_call_at} as="full" />
                    </>
                  )}
                </>
              )}
              {customers.length > 0 && (
                <span>
                  · {customers.length === 1 ? "customer" : "customers"}{" "}
                  {customers.slice(0, MAX_CUSTOMERS).map((customer, index) => (
                    <Fragment key={customer}>
                      {index > 0 && ", "}
                      <Link to="/customers/$customerId" params={{ customerId: customer }}>
                        <Name name={customer} maxLength={40} />
                      </Link>
                    </Fragment>
                  ))}
                  {customers.length > MAX_CUSTOMERS && ` and ${count(customers.length - MAX_CUSTOMERS)} more`}
                </span>
              )}
            </p>
          </div>
          <Link to="/calls" search={callsSearch({ session: id })}>
            Its calls
          </Link>
        </header>
        <Card title="The whole session">
          <Loaded query={query}>
            {session => (
              <dl className="stats">
                <Stat
                  label="Cost"
                  name="cost"
                  value={
                    <CostSum microcents={session.cost_microcents} unpricedCalls={session.unpriced_calls} />
                  }
                />
                <ValueStats sessionId={id} session={session} />
                <Stat label="Calls" name="calls" value={count(session.call_count)} />
                <Stat label="Failed calls" name="errors" value={count(session.error_count)} />
                <Stat
                  label="Agents"
                  name="agents"
                  value={steps && count(new Set(steps.map(({ call }) => call.agent_key)).size)}
                  note={
                    steps &&
                    plural(steps.filter(({ handedOverBy }) => handedOverBy !== null).length, "hand-over")
                  }
                />
                <Stat label="First to last call" value={duration(lengthMs(session))} />
                <Stat
                  label="Tokens"
                  value={count(session.input_tokens + session.output_tokens)}
                  note={`${count(session.input_tokens)} in, ${count(session.output_tokens)} out`}
                />
              </dl>
            )}
          </Loaded>
        </Card>
        <Card title="Timeline" note="Each agent has a lane; a line is a hand-over">
          <Loaded query={calls}>
            {() =>
              steps === undefined || steps.length === 0 ? (
                <Empty title="No calls" />
              ) : (
                <SessionLanes steps={steps} />
              )
            }
          </Loaded>
        </Card>
        <Card
          title="Calls"
          note={
            calls.data?.isCut ? `The newest ${count(calls.data.calls.length)}, oldest first` : "Oldest first"
          }
          actions={<CsvButton name="session" columns={stepColumns} rows={steps} />}
        >
          <DataTable
            label="Calls of the session"
            isMain
            columns={stepColumns}
            rows={steps}
            rowKey={({ call }) => call.id}
            height="560px"
            onOpen={({ call }) => void navigate({ to: "/calls/$callId", params: { callId: call.id } })}
            empty={<Empty title="No calls" />}
          />
        </Card>
        <SessionOutcomes sessionId={id} />
      </div>
    </>
  );
}
