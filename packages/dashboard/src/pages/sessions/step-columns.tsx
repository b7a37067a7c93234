import { duration, secondTime } from "../../format/time.ts";
import type { Column } from "../../parts/data-table.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CallCost } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { TokenCount } from "../../parts/token-count.tsx";
import { StatusTag } from "../calls/call-tags.tsx";
import type { SessionStep } from "./hand-overs.ts";

export const stepColumns: readonly Column<SessionStep>[] = [
  {
    id: "time",
    title: "Time",
    width: "minmax(80px, 0.5fr)",
    value: ({ call }) => call.created_at,
    cell: ({ call }) => <Moment at={call.created_at} as="second" />,
  },
  {
    id: "agent",
    title: "Agent",
    width: "minmax(150px, 1.6fr)",
    onPhone: "title",
    value: ({ call }) => call.agent_key,
    cell: ({ call, handedOverBy }) => (
      <>
        {handedOverBy !== null && (
          <span className="muted">
            <Name name={handedOverBy} maxLength={24} /> <Icon name="right" size={10} />{" "}
            <span className="visually-hidden">hands over to</span>
          </span>
        )}
        <Name name={call.agent_key} maxLength={30} />
      </>
    ),
  },
  {
    id: "model",
    title: "Model",
    width: "minmax(120px, 1.1fr)",
    value: ({ call }) => call.model,
    cell: ({ call }) => <Name name={call.model} maxLength={40} />,
  },
  {
    id: "status",
    title: "Status",
    width: "minmax(84px, 0.6fr)",
    value: ({ call }) => call.status,
    cell: ({ call }) => <StatusTag event={call} />,
  },
  {
    id: "pause",
    title: "After",
    isNumber: true,
    width: "minmax(80px, 0.5fr)",
    value: ({ pauseMs }) => pauseMs,
    cell: ({ pauseMs }) =>
      pauseMs !== null && pauseMs < 0 ? <span className="muted">overlaps</span> : duration(pauseMs),
  },
  {
    id: "duration",
    title: "Duration",
    isNumber: true,
    width: "minmax(76px, 0.5fr)",
    value: ({ call }) => call.latency_ms,
    cell: ({ call }) => duration(call.latency_ms),
  },
  {
    id: "place",
    title: "Within the session",
    width: "minmax(110px, 1.3fr)",
    onPhone: "hidden",
    cell: ({ call, offset, length }) => (
      <span className="session-place" title={`${secondTime(call.created_at)}, ${duration(call.latency_ms)}`}>
        <span style={{ left: `${offset * 100}%`, width: `max(2px, ${length * 100}%)` }} />
      </span>
    ),
  },
  {
    id: "input",
    title: "Input",
    isNumber: true,
    width: "minmax(80px, 0.5fr)",
    value: ({ call }) => (call.usage_source === "none" ? null : call.input_tokens),
    cell: ({ call }) => <TokenCount tokens={call.usage_source === "none" ? null : call.input_tokens} />,
  },
  {
    id: "output",
    title: "Output",
    isNumber: true,
    width: "minmax(80px, 0.5fr)",
    value: ({ call }) => (call.usage_source === "none" ? null : call.output_tokens),
    cell: ({ call }) => <TokenCount tokens={call.usage_source === "none" ? null : call.output_tokens} />,
  },
  {
    id: "cost",
    title: "Cost",
    isNumber: true,
    width: "minmax(100px, 0.7fr)",
    onPhone: "amount",
    value: ({ call }) =>
      call.is_unpriced ? null : (call.cost_microcents + call.adjustment_microcents) / 10_000_000,
    cell: ({ call }) => <CallCost event={call} />,
  },
];
