/** The columns of events that each kind of reader needs, and their rows. */
import type { PairMark } from "@tollgate/core/event";
import { type EventRow, eventColumns } from "./event-row.ts";

/** The columns from which totals and lists are derived. */
const summaryColumns = [
  "id",
  "external_id",
  "org_id",
  "mode",
  "key_id",
  "created_at",
  "agent_key",
  "session_id",
  "customer_id",
  "config_version",
  "provider",
  "model",
  "status",
  "latency_ms",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "cost_basis",
  "source",
] as const;

/** The same, with what a cost is split by. */
const countedColumns = [
  ...summaryColumns,
  "served_model",
  "usage",
  "additional_usage",
  "price_version",
] as const;

/** The columns from which the agent profile is derived. */
const profiledColumns = [
  "org_id",
  "mode",
  "created_at",
  "agent_key",
  "session_id",
  "provider",
  "model",
  "status",
  "latency_ms",
  "input_tokens",
  "output_tokens",
  "usage",
  "cost_microcents",
  "request_hash",
  "prefix_hash",
] as const;

/** The columns from which experiment results are derived. */
const experimentColumns = [
  "org_id",
  "mode",
  "agent_key",
  "session_id",
  "status",
  "latency_ms",
  "cost_microcents",
  "cost_basis",
  "experiment_id",
  "arm",
] as const;

/** The columns from which verifications are derived. */
const pairColumns = [
  "id",
  "org_id",
  "mode",
  "created_at",
  "source",
  "session_id",
  "served_model",
  "status",
  "latency_ms",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "cost_basis",
  "pair",
] as const;

/** The columns that show whether a call was made under a change of its agent's configuration, and how it went. */
const gatewayCallColumns = [
  "org_id",
  "mode",
  "created_at",
  "agent_key",
  "key_id",
  "customer_id",
  "session_id",
  "model",
  "requested_model",
  "status",
  "latency_ms",
  "experiment_id",
  "arm",
] as const;

/** Some columns of an event as they are stored, and its seq. */
type PartOf<Columns extends readonly (keyof EventRow)[]> = Pick<EventRow, Columns[number]> & {
  readonly seq: number;
};

export type EventSummary = PartOf<typeof summaryColumns>;
export type CountedEvent = PartOf<typeof countedColumns>;
export type ProfiledEvent = PartOf<typeof profiledColumns>;
export type GatewayCallEvent = PartOf<typeof gatewayCallColumns>;
/** The query returns only events of experiments. */
export type ExperimentEvent = PartOf<typeof experimentColumns> & { readonly experiment_id: string };

/** A call made by a verification. */
export type PairEvent = Omit<PartOf<typeof pairColumns>, "pair"> & { readonly pair: PairMark };
/** The production call of a pair, made for the agent. */
export type ProductionEvent = Omit<PartOf<typeof pairColumns>, "pair">;

/** A served model name, in one organization. */
export type ServedModel = Pick<EventRow, "org_id" | "mode" | "provider" | "model"> & {
  readonly served_model: string;
};

/** As stored, with the pair's mark as JSON. */
export type StoredPairEvent = PartOf<typeof pairColumns> & { readonly pair: string };

const selected = (columns: readonly (keyof EventRow)[]) => ["seq", ...columns].join(", ");

/** The select lists of the parts. */
export const selectLists = {
  all: selected(eventColumns),
  summary: selected(summaryColumns),
  counted: selected(countedColumns),
  profiled: selected(profiledColumns),
  experiment: selected(experimentColumns),
  pair: selected(pairColumns),
  gatewayCall: selected(gatewayCallColumns),
} as const;
