import type { LiveEvent } from "../../data/live.tsx";
import { duration } from "../../format/time.ts";
import type { Column } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CallCost } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { TokenCount } from "../../parts/token-count.tsx";
import { BasisTag, StatusTag } from "./call-tags.tsx";
import { KeyName } from "./key-name.tsx";

const optionalName = (name: string | null) =>
  name === null ? <span className="muted">–</span> : <Name name={name} maxLength={40} />;
const tokens = (event: LiveEvent, number: number | undefined) =>
  event.usage_source === "none" ? null : (number ?? 0);
const cached = ({ usage }: LiveEvent) =>
  (usage.cache_read ?? 0) + (usage.cache_read_audio ?? 0) + (usage.cache_read_image ?? 0);

function tokenColumn(
  id: string,
  title: string,
  of: (event: LiveEvent) => number | undefined,
  isOptional = false,
) {
  return {
    id,
    title,
    isNumber: true,
    isOptional,
    width: "minmax(80px, 0.6fr)",
    onPhone: "hidden",
    value: (event: LiveEvent) => tokens(event, of(event)),
    cell: (event: LiveEvent) => <TokenCount tokens={tokens(event, of(event))} />,
  } as const satisfies Column<LiveEvent>;
}

export const callColumns: readonly Column<LiveEvent>[] = [
  {
    id: "time",
    title: "Time",
    width: "144px",
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Moment at={created_at} as="precise" />,
  },
  {
    id: "agent",
    title: "Agent",
    width: "minmax(110px, 1.2fr)",
    onPhone: "title",
    value: ({ agent_key }) => agent_key,
    cell: ({ agent_key }) => <Name name={agent_key} maxLength={40} />,
  },
  {
    id: "model",
    title: "Model",
    width: "minmax(130px, 1.3fr)",
    value: ({ model }) => model,
    cell: ({ model }) => <Name name={model} maxLength={48} />,
  },
  {
    id: "status",
    title: "Status",
    width: "minmax(88px, 0.6fr)",
    value: ({ status }) => status,
    cell: event => <StatusTag event={event} />,
  },
  tokenColumn("input", "Input", ({ input_tokens }) => input_tokens),
  tokenColumn("cached", "Cached", cached, true),
  tokenColumn("output", "Output", ({ output_tokens }) => output_tokens),
  tokenColumn("reasoning", "Reasoning", ({ usage }) => usage.reasoning, true),
  {
    id: "latency",
    title: "Duration",
    isNumber: true,
    width: "minmax(76px, 0.6fr)",
    value: ({ latency_ms }) => latency_ms,
    cell: ({ latency_ms }) => <span className="figure">{duration(latency_ms)}</span>,
  },
  {
    id: "ttft",
    title: "First byte",
    isNumber: true,
    isOptional: true,
    width: "minmax(76px, 0.6fr)",
    value: ({ ttft_ms }) => ttft_ms,
    cell: ({ ttft_ms }) => <span className="figure">{duration(ttft_ms)}</span>,
  },
  {
    id: "customer",
    title: "Customer",
    isOptional: true,
    value: ({ customer_id }) => customer_id,
    cell: ({ customer_id }) => optionalName(customer_id),
  },
  {
    id: "session",
    title: "Session",
    isOptional: true,
    value: ({ session_id }) => session_id,
    cell: ({ session_id }) => optionalName(session_id),
  },
  {
    id: "provider",
    title: "Provider",
    isOptional: true,
    value: ({ provider }) => provider,
    cell: ({ provider }) => <Name name={provider} maxLength={24} />,
  },
  {
    id: "key",
    title: "API key",
    isOptional: true,
    value: ({ key_id }) => key_id,
    cell: ({ key_id }) => <KeyName id={key_id} />,
  },
  {
    id: "config",
    title: "Config version",
    isOptional: true,
    value: ({ config_version }) => config_version,
    cell: ({ config_version }) => optionalName(config_version),
  },
  {
    id: "source",
    title: "Source",
    isOptional: true,
    value: ({ source }) => source,
    cell: ({ source }) => source,
  },
  {
    id: "error",
    title: "Error",
    isOptional: true,
    value: ({ error_code }) => error_code,
    cell: ({ error_code }) => optionalName(error_code),
  },
  {
    id: "basis",
    title: "Basis",
    width: "minmax(84px, 0.6fr)",
    value: event => (event.is_unpriced ? "unpriced" : event.cost_basis),
    cell: event => <BasisTag event={event} />,
  },
  {
    id: "cost",
    title: "Cost",
    isNumber: true,
    width: "minmax(124px, 0.8fr)",
    onPhone: "amount",
    value: event =>
      event.is_unpriced ? null : (event.cost_microcents + event.adjustment_microcents) / 10_000_000,
    cell: event => <CallCost event={event} />,
  },
];
