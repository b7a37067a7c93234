import { modes } from "@tollgate/core/event";
import { integer, oneOf, orNull, type TableDeclarations, text, withDefault } from "../../engine/columns.ts";

/** What several machines share: their ledgers, and the limits that they split. */
export const sharedLedgerTables = {
  /** A gateway of an installation on several machines. */
  nodes: {
    id: text,
    host: text,
    version: text,
    created_at: integer,
    last_seen_at: integer,
    /** The newest event of its own ledger, shipped or not. */
    newest_seq: integer,
    removed_at: orNull(integer),
  },
  /** The events of all nodes, in one order without gaps. */
  shared_events: {
    org_id: text,
    id: text,
    position: integer,
    node_id: text,
    node_seq: integer,
    created_at: integer,
    /** JSON. */
    event: text,
  },
  shared_agents: {
    org_id: text,
    mode: oneOf(modes),
    /** A JSON string. */
    agent_key: text,
    id: text,
    first_seen_at: integer,
    /** The end of the shared ledger when the agent was shipped. */
    position: integer,
  },
  shared_rate_cards: { version: text, card: text },
  /** One row: the newest event, and what retention has removed before the first one. */
  shared_ledger_end: {
    position: integer,
    /** The first event that is kept; 0: none was removed. */
    begins_position: withDefault(integer),
    /** All events before it were admitted before this moment. */
    begins_at: withDefault(integer),
  },
  /** What the removed events add up to. */
  shared_removed_events: {
    org_id: text,
    mode: oneOf(modes),
    month: text,
    events: integer,
    /** Without those of verifications. */
    calls: integer,
    cost_microcents: integer,
    unpriced_calls: integer,
  },
  /** Removed events that a client reported: one that is sent again must still be recognized. */
  shared_removed_ids: { org_id: text, id: text },
  /** The last removed event of each node, by its own seq. */
  shared_removed_nodes: { node_id: text, seq: integer },
  /** The part of a budget's limit that each node may use in a period. */
  budget_shares: {
    org_id: text,
    budget_id: text,
    since: integer,
    period: text,
    node_id: text,
    granted_microcents: integer,
    /** As of its last request, with what its ledger has lost. */
    used_microcents: integer,
    /** 1: this node has the last part. */
    is_last: integer,
    /** The part of `used_microcents` that no call in flight can release, as its ledger has it. */
    settled_microcents: withDefault(integer),
    /** What the node had reported as settled, and its ledger no longer has. */
    lost_microcents: withDefault(integer),
    /** Its last request, by PostgreSQL's clock. */
    asked_at: withDefault(integer),
    /** The `blocking_since` of the budget that the node knew when it sent the request. */
    reported_since: orNull(integer),
  },
  /** Budgets that refuse calls, and since when, by PostgreSQL's clock. */
  blocking_budgets: { org_id: text, budget_id: text, blocking_since: integer },
  /** The part of a month's calls that each node may make. */
  call_shares: {
    org_id: text,
    month: text,
    node_id: text,
    granted_calls: integer,
    /** When it last asked, with what its ledger has lost. */
    used_calls: integer,
    /** Those of `used_calls` that it had made, as its ledger has them. */
    made_calls: withDefault(integer),
    /** What the node had reported as made, and its ledger no longer has. */
    lost_calls: withDefault(integer),
  },
  /** Agents that a node has registered, until their first event is shipped. */
  agent_slots: {
    org_id: text,
    mode: oneOf(modes),
    /** A JSON string. */
    agent_key: text,
    taken_at: integer,
  },
  /** Refused calls of all nodes. */
  shared_refusals: {
    id: withDefault(integer),
    org_id: text,
    mode: oneOf(modes),
    created_at: integer,
    key_id: text,
    /** A JSON string. */
    agent_key: orNull(text),
    reason: text,
    limit_value: orNull(integer),
    budget_id: orNull(text),
  },
  shared_refusal_counts: {
    org_id: text,
    mode: oneOf(modes),
    hour: integer,
    reason: text,
    /** A JSON string. */
    agent_key: text,
    key_id: text,
    node_id: text,
    calls: integer,
  },
} as const satisfies TableDeclarations;
