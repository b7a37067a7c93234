import { outcomeSources } from "@tollgate/core/contract/outcomes";
import { modes } from "@tollgate/core/event";
import {
  eachOf,
  integer,
  oneOf,
  orNull,
  type TableDeclarations,
  text,
  withDefault,
} from "../../engine/columns.ts";
import { costKindColumns } from "../cost-kind-columns.ts";
import { histogramColumns } from "../latency-histogram.ts";
import { outputColumns } from "../output-histogram.ts";
import { peakColumns, sumColumns } from "../profile-columns.ts";

const totals = {
  calls: integer,
  errors: integer,
  input_tokens: integer,
  output_tokens: integer,
  cost_microcents: integer,
  unpriced_calls: withDefault(integer),
};

const subject = { id: withDefault(integer), scope: integer, ...totals, first_at: integer, last_at: integer };

/** `h00` to `h31` count calls by latency, see `latency-histogram.ts`. */
const rollup = {
  scope: integer,
  agent: integer,
  model: integer,
  ...totals,
  latency_sum_ms: integer,
  ...eachOf(histogramColumns, integer),
  ...eachOf(costKindColumns, withDefault(integer)),
};

/** Sums of one config version, API key or customer. */
const subjectSums = { scope: integer, kind: integer, subject: integer, ...totals, unpriced_calls: integer };

/** Derived from the ledger up to a cursor, with the outcomes and adjustments that people add to events. */
export const readModelTables = {
  outcomes: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    name: text,
    session_id: orNull(text),
    agent_id: orNull(text),
    event_id: orNull(text),
    outcome_type: orNull(text),
    source: oneOf(outcomeSources),
    success: orNull(integer),
    value_cents: orNull(integer),
    notes: orNull(text),
    metadata: text,
    confirmed_by: orNull(text),
    confirmed_at: orNull(integer),
    created_at: integer,
  },
  adjustments: {
    id: withDefault(integer),
    event_id: text,
    org_id: text,
    amount_microcents: integer,
    price_version: text,
    card: text,
    /** JSON: the cards of `additional_usage`, in its order. null: there was none, or it was not recorded yet. */
    additional_cards: orNull(text),
    created_at: integer,
    /** Of an event that retention has removed: its mode, and whether its cost was unknown. null: it is in the ledger. */
    removed_mode: orNull(text),
    removed_unpriced: orNull(integer),
  },
  /** `event_id` is null at the beginning of the ledger, and if an older version stored the position. */
  cursors: { reader: text, node: text, position: integer, event_id: orNull(text) },
  /** The ledger lost the events after `common_seq` and up to `lost_seq`, which had already been read. */
  rebuilds: {
    id: withDefault(integer),
    /** The cursors that did not match, separated by spaces. */
    readers: text,
    common_seq: integer,
    common_event_id: orNull(text),
    lost_seq: integer,
    /** The end of the ledger when the loss was detected; the rebuild is complete once it is reached. */
    until_seq: integer,
    noticed_at: integer,
    /** null: still running. */
    finished_at: orNull(integer),
  },
  scopes: { id: withDefault(integer), org_id: text, mode: oneOf(modes) },
  models: { id: withDefault(integer), provider: text, model: text },
  /** The read model's copy of the ledger's agents, with their activity. */
  agents: {
    id: withDefault(integer),
    scope: integer,
    agent_key: text,
    /** The public id, a UUID. */
    agent_id: text,
    first_seen_at: integer,
    last_call_at: orNull(integer),
  },
  sessions: { ...subject, session_id: text },
  customers: { ...subject, customer_id: text },
  config_versions: { ...subject, config_version: text },
  /** Calls by API key; `key_id` is the id in `api_keys`. */
  used_keys: { ...subject, key_id: text },
  /** Agent 0 means all agents, model 0 all models. */
  rollup_hours: { ...rollup, hour: integer },
  rollup_days: { ...rollup, day: integer },
  /** Customer 0 means calls without one. */
  customer_days: { ...totals, scope: integer, day: integer, customer: integer },
  /** Weeks of seven days since 1970, which have no meaning of their own. */
  customer_weeks: { ...totals, unpriced_calls: integer, scope: integer, week: integer, customer: integer },
  /** `kind` is one of `subjectKinds`, `subject` an id in its table or 0: calls without one. */
  subject_hours: { ...subjectSums, hour: integer },
  subject_days: { ...subjectSums, day: integer },
  /** The config versions of each agent; version 0 means calls without one. */
  agent_version_days: {
    ...totals,
    unpriced_calls: integer,
    scope: integer,
    agent: integer,
    day: integer,
    config_version: integer,
    session_calls: withDefault(integer),
  },
  /** One row: what retention has removed, see `history.ts`. */
  history: {
    begins_at: withDefault(integer),
    begins_seq: orNull(integer),
    begins_event_id: orNull(text),
    counted_seq: withDefault(integer),
  },
  /** Sums of the facts that retention has removed. */
  removed_days: { scope: integer, day: integer, ...totals, unpriced_calls: integer },
  /** One row per event, for lists and for totals at the edge of a window. The ledger has the remaining fields. */
  facts: {
    seq: integer,
    scope: integer,
    created_at: integer,
    agent: integer,
    model: integer,
    /** One of `statusCodes`. */
    status: integer,
    session: orNull(integer),
    customer: orNull(integer),
    config_version: orNull(integer),
    /** In `used_keys`. */
    used_key: orNull(integer),
    latency_ms: integer,
    input_tokens: integer,
    output_tokens: integer,
    /** The ledger's cost plus adjustments. */
    cost_microcents: integer,
    /** 1: the cost is unknown. 0 again once rerated. */
    unpriced: withDefault(integer),
    ...eachOf(costKindColumns, withDefault(integer)),
    /** One of `sourceCodes`. */
    source: withDefault(integer),
  },
  /** The facts of each value of a dimension, see `fact-lists.ts`. Model 0 means all models. */
  fact_lists: {
    volume: integer,
    scope: integer,
    /** One of `listedDimensions`. */
    dimension: integer,
    value: integer,
    model: integer,
    /** The segment begins after this seq. */
    after_seq: integer,
    /** Of the oldest and the newest listed call. */
    from_at: integer,
    to_at: integer,
    calls: integer,
    /** JSON: the seq of each fact, less `after_seq`. */
    offsets: text,
  },
  /** The number of a volume is the `after_seq` of its first segment. Times of its oldest and newest call. */
  fact_volumes: { scope: integer, volume: integer, from_at: integer, to_at: integer },
  /** Ingested events by the sender's id. */
  external_ids: { scope: integer, external_id: text, seq: integer },
  /** `o00` to `o18` count calls by output tokens, see `output-histogram.ts`. */
  profile_days: {
    scope: integer,
    day: integer,
    agent: integer,
    model: integer,
    ...eachOf([...sumColumns, ...peakColumns, ...outputColumns], integer),
  },
  /** Sums of the days, with the first and last of them: see `profile-weeks.ts`. */
  profile_weeks: {
    scope: integer,
    week: integer,
    agent: integer,
    model: integer,
    first_day: integer,
    last_day: integer,
    active_days: integer,
    ...eachOf([...sumColumns, ...peakColumns, ...outputColumns], integer),
  },
  /** The first prompt of each agent in a session. */
  profile_sessions: { session_id: text, scope: integer, agent: integer, first_input_tokens: integer },
} as const satisfies TableDeclarations;
