import { Link } from "@tanstack/react-router";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { plural } from "../../format/counts.ts";
import { Moment } from "../../parts/moment.tsx";
import { CallCost, CostSum } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Loaded } from "../../parts/states.tsx";
import { callsSearch } from "./calls-search.ts";

const SHOWN = 12;

interface SessionCallsProps {
  readonly sessionId: string;
  readonly callId: string;
}

/** The session around a call: its latest calls, and what all of them cost. */
export function SessionCalls({ sessionId, callId }: SessionCallsProps) {
  const session = useOperation("sessions.get", { id: sessionId });
  const calls = useOperation("events.list", { session_id: sessionId, limit: SHOWN });
  return (
    <section aria-labelledby="session-title" className="panel-part">
      <h3 id="session-title">Session</h3>
      <Loaded query={session}>
        {({ call_count, cost_microcents, unpriced_calls }) => (
          <p className="muted">
            <Link to="/calls" search={callsSearch({ session: sessionId })}>
              {plural(call_count, "call")}
            </Link>{" "}
            in <Name name={sessionId} maxLength={48} />, together{" "}
            <CostSum microcents={cost_microcents} unpricedCalls={unpriced_calls} />
          </p>
        )}
      </Loaded>
      <Loaded query={calls}>
        {({ events }) => (
          <ol className="session-calls">
            {events.toReversed().map(event => (
              <SessionCall key={event.id} event={event} isThis={event.id === callId} />
            ))}
          </ol>
        )}
      </Loaded>
    </section>
  );
}

interface SessionCallProps {
  readonly event: Output<"events.list">["events"][number];
  readonly isThis: boolean;
}

function SessionCall({ event, isThis }: SessionCallProps) {
  return (
    <li aria-current={isThis || undefined}>
      <Moment at={event.created_at} as="second" />
      <Link to="/calls/$callId" params={{ callId: event.id }} className="session-call">
        <Name name={event.agent_key} maxLength={24} /> · <Name name={event.model} maxLength={24} />
      </Link>
      <CallCost event={event} />
    </li>
  );
}
