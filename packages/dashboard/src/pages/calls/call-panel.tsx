import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { duration } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CallCost } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { PriceForm } from "../../parts/price-form.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Loaded } from "../../parts/states.tsx";
import { BasisTag, StatusTag } from "./call-tags.tsx";
import { CallTimeline } from "./call-timeline.tsx";
import { callsSearch } from "./calls-search.ts";
import { KeyName } from "./key-name.tsx";
import { Receipt } from "./receipt.tsx";
import { SessionCalls } from "./session-calls.tsx";

type Call = Output<"events.get">;

export function CallPanel() {
  const id = useParams({ from: "/calls/$callId", select: ({ callId }) => callId });
  const navigate = useNavigate();
  const call = useOperation("events.get", { id });
  const cost = useOperation("events.cost", { id });
  return (
    <SidePanel
      title="Call"
      actions={<CopyButton text={id} label="Copy the id" />}
      onClose={() => void navigate({ to: "/calls" })}
    >
      <Loaded query={call}>
        {event => (
          <>
            <p className="panel-lead">
              <span className="panel-amount">
                <CallCost event={event} />
              </span>{" "}
              <StatusTag event={event} /> {!event.is_unpriced && <BasisTag event={event} />}
            </p>
          </>
        )}
      </Loaded>
      {!call.isError && (
        <section aria-labelledby="receipt-title" className="panel-part">
          <h3 id="receipt-title">Receipt</h3>
          <Loaded query={cost}>{explanation => <Receipt explanation={explanation} />}</Loaded>
          {call.data?.is_unpriced && <MissingPrice event={call.data} />}
        </section>
      )}
      {call.data && <CallTimeline event={call.data} />}
      {call.data?.session_id != null && <SessionCalls sessionId={call.data.session_id} callId={id} />}
      {call.data && <CallDetails event={call.data} />}
    </SidePanel>
  );
}

/** A price counts for later calls at once, and for this one after a rerating. */
function MissingPrice({ event: { model, provider } }: { readonly event: Call }) {
  const { can } = useRole();
  const [isOpen, setIsOpen] = useState(false);
  if (!can("prices.overrides.set")) return null;
  return (
    <p>
      <Button onClick={() => setIsOpen(true)}>Set a price for this model</Button>{" "}
      <Link to="/settings/prices" search={before => ({ ...before, model, provider })}>
        Rerate its calls
      </Link>
      {isOpen && <PriceForm model={model} provider={provider} onClose={() => setIsOpen(false)} />}
    </p>
  );
}

function CallDetails({ event }: { readonly event: Call }) {
  return (
    <section aria-labelledby="details-title" className="panel-part">
      <h3 id="details-title">Details</h3>
      <Details>
        <Detail title="Time">
          <Moment at={event.created_at} as="full" />
        </Detail>
        <Detail title="Agent">
          {event.agent_id === null ? (
            <Name name={event.agent_key} />
          ) : (
            <FilterLink filter={{ agent: event.agent_id }} name={event.agent_key} />
          )}
        </Detail>
        <Detail title="Model">
          <FilterLink filter={{ model: event.model }} name={event.model} />
        </Detail>
        <Detail title="Requested as">
          <Name name={event.requested_model} />
        </Detail>
        <Detail title="Answered by">
          {event.served_model === null ? null : <Name name={event.served_model} />}
        </Detail>
        <Detail title="Provider">
          <Name name={event.provider} />
        </Detail>
        <Detail title="Session">
          {event.session_id === null ? null : (
            <FilterLink filter={{ session: event.session_id }} name={event.session_id} />
          )}
        </Detail>
        <Detail title="Customer">
          {event.customer_id === null ? null : (
            <FilterLink filter={{ customer: event.customer_id }} name={event.customer_id} />
          )}
        </Detail>
        <Detail title="API key">{event.key_id === null ? null : <KeyName id={event.key_id} />}</Detail>
        <Detail title="Config version">
          {event.config_version === null ? null : <Name name={event.config_version} />}
        </Detail>
        <Detail title="Endpoint">
          <code>{event.endpoint}</code>
        </Detail>
        <Detail title="Streamed">{event.stream ? "yes" : "no"}</Detail>
        <Detail title="Source">{event.source}</Detail>
        <Detail title="HTTP status">{event.http_status}</Detail>
        <Detail title="Error">{event.error_code === null ? null : <Name name={event.error_code} />}</Detail>
        <Detail title="Duration">{duration(event.latency_ms)}</Detail>
        <Detail title="Service tier">{event.service_tier}</Detail>
        <Detail title="Experiment">
          {event.experiment_id === null ? null : `${event.arm ?? "no arm"} of ${event.experiment_id}`}
        </Detail>
        <Detail title="Budgets">
          {event.budget_flags === null
            ? null
            : event.budget_flags.map(flag => flag.replaceAll("_", " ")).join(", ")}
        </Detail>
        <Detail title="Id">
          <code>{event.id}</code>
        </Detail>
        <Detail title="Provider’s id">
          {event.response_id === null ? null : <Name name={event.response_id} />}
        </Detail>
        <Detail title="Trace">{event.trace_id === null ? null : <code>{event.trace_id}</code>}</Detail>
      </Details>
    </section>
  );
}

interface FilterLinkProps {
  readonly filter: {
    readonly agent?: string;
    readonly model?: string;
    readonly session?: string;
    readonly customer?: string;
  };
  readonly name: string;
}

/** The calls that have this in common. */
function FilterLink({ filter, name }: FilterLinkProps) {
  return (
    <Link to="/calls" search={callsSearch(filter)}>
      <Name name={name} />
    </Link>
  );
}
