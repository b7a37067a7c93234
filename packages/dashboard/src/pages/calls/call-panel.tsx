import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { duration } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
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
      {call.data && <Details event={call.data} />}
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

function Details({ event }: { readonly event: Call }) {
  const rows: readonly (readonly [string, ReactNode])[] = [
    ["Time", <Moment key="time" at={event.created_at} as="full" />],
    [
      "Agent",
      event.agent_id === null ? (
        <Name key="agent" name={event.agent_key} />
      ) : (
        <FilterLink key="agent" filter={{ agent: event.agent_id }} name={event.agent_key} />
      ),
    ],
    ["Model", <FilterLink key="model" filter={{ model: event.model }} name={event.model} />],
    ["Requested as", <Name key="requested" name={event.requested_model} />],
    ["Answered by", event.served_model === null ? null : <Name key="served" name={event.served_model} />],
    ["Provider", <Name key="provider" name={event.provider} />],
    [
      "Session",
      event.session_id === null ? null : (
        <FilterLink key="session" filter={{ session: event.session_id }} name={event.session_id} />
      ),
    ],
    [
      "Customer",
      event.customer_id === null ? null : (
        <FilterLink key="customer" filter={{ customer: event.customer_id }} name={event.customer_id} />
      ),
    ],
    ["API key", event.key_id === null ? null : <KeyName key="key" id={event.key_id} />],
    [
      "Config version",
      event.config_version === null ? null : <Name key="config" name={event.config_version} />,
    ],
    ["Endpoint", <code key="endpoint">{event.endpoint}</code>],
    ["Streamed", event.stream ? "yes" : "no"],
    ["Source", event.source],
    ["HTTP status", event.http_status],
    ["Error", event.error_code === null ? null : <Name key="error" name={event.error_code} />],
    ["Duration", duration(event.latency_ms)],
    ["Service tier", event.service_tier],
    [
      "Experiment",
      event.experiment_id === null ? null : `${event.arm ?? "no arm"} of ${event.experiment_id}`,
    ],
    [
      "Budgets",
      event.budget_flags === null
        ? null
        : event.budget_flags.map(flag => flag.replaceAll("_", " ")).join(", "),
    ],
    ["Id", <code key="id">{event.id}</code>],
    ["Provider’s id", event.response_id === null ? null : <Name key="response" name={event.response_id} />],
    ["Trace", event.trace_id === null ? null : <code key="trace">{event.trace_id}</code>],
  ];
  return (
    <section aria-labelledby="details-title" className="panel-part">
      <h3 id="details-title">Details</h3>
      <dl className="details">
        {rows.map(([title, value]) =>
          value === null || value === undefined ? null : (
            <div key={title}>
              <dt className="muted">{title}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
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
