import {
  actuationChanges,
  actuationTypes,
  authorities,
  blockedReasons,
  proposalActions,
  proposalSources,
  proposalStatuses,
  rollbackReasons,
} from "@tollgate/core/decisions/vocabulary";
import { modes } from "@tollgate/core/event";
import { endReasons, experimentStatuses, primaryMetrics } from "@tollgate/core/experiments/experiment";
import { arms } from "@tollgate/core/steering";
import { optimizationTypes } from "@tollgate/core/suggestions/suggestion-types";
import { integer, oneOf, orNull, type TableDeclarations, text, withDefault } from "../../engine/columns.ts";

/** Changes of how the gateway sends calls: proposals, optimizations, experiments, and what they achieved. */
export const optimizationTables = {
  /** Changes that suggestions, leak checks and verdicts propose; one per possible change. */
  proposals: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Its subject: action, agent, and the model or the advice. */
    proposal_key: text,
    source: oneOf(proposalSources),
    source_id: text,
    /** null: the whole organization. */
    agent_id: orNull(text),
    action_type: oneOf(proposalActions),
    status: oneOf(proposalStatuses),
    blocked_reason: orNull(oneOf(blockedReasons)),
    /** JSON: an envelope, in microcents per month. */
    impact: text,
    /** JSON: the change of the gateway's configuration. */
    payload: text,
    decided_by: orNull(text),
    decided_at: orNull(integer),
    created_at: integer,
    updated_at: integer,
  },
  /** Items of the decision queue that were snoozed or need no change. The queue itself is derived. */
  queue_marks: {
    org_id: text,
    mode: oneOf(modes),
    item_id: text,
    snoozed_until: orNull(integer),
    acknowledged_at: orNull(integer),
    marked_by: text,
    marked_at: integer,
  },
  /** Changes that affect the gateway, each written in the change's own transaction. */
  actuations: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Both null: the whole organization. */
    agent_id: orNull(text),
    agent_key: orNull(text),
    action_type: oneOf(actuationTypes),
    change: oneOf(actuationChanges),
    /** The optimization, budget, experiment or agent. */
    subject_id: text,
    authority: oneOf(authorities),
    actor: text,
    asked_at: integer,
    applied_at: integer,
    /** When the first call under the change was admitted; null: unknown. */
    first_obeyed_at: orNull(integer),
    rolled_back_at: orNull(integer),
    rollback_reason: orNull(oneOf(rollbackReasons)),
    rolled_back_by: orNull(text),
    acknowledged_at: orNull(integer),
    acknowledged_by: orNull(text),
  },
  /** Applied to an agent's calls by the gateway until undone. At most one per type and agent is in force. */
  optimizations: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    agent_id: text,
    agent_key: text,
    /** model_switch `{model}`, token_guardrails `{max_output_tokens}`, prompt_caching `{}`. */
    optimization_type: oneOf(optimizationTypes),
    payload: text,
    /** Origin: `suggestion`, or `experiment:<id>`. */
    source: text,
    applied_by: text,
    applied_at: integer,
    undone_at: orNull(integer),
  },
  /** The effect of an optimization, by hour, up to a follower's cursor. */
  optimization_effects: {
    optimization_id: text,
    /** Its first millisecond. */
    hour: integer,
    /** The requested model, without the name of its provider. */
    asked_model: text,
    /** Calls that it changed, or could have changed. */
    calls: integer,
    /** Of those, the calls whose saving is known. */
    priced_calls: integer,
    saved_microcents: integer,
  },
  /** A recent model switch that the breaker watches, from its first call on. */
  switch_watches: {
    optimization_id: text,
    /** Calls since the switch. */
    calls: integer,
    /** JSON of `core/breaker/switch-watch.ts`. */
    watch: text,
  },
  switch_watch_sessions: {
    optimization_id: text,
    session_id: text,
    calls: integer,
    errors: integer,
    slow_calls: integer,
  },
  /** Sends a share of an agent's calls to another model. At most one per agent is running or paused. */
  experiments: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    agent_id: text,
    agent_key: text,
    name: text,
    /** The agent's most used model at the start; null: it had made no calls. */
    control_model: orNull(text),
    treatment_model: text,
    traffic_pct: integer,
    primary_metric: oneOf(primaryMetrics),
    max_duration_days: integer,
    auto_promote: integer,
    status: oneOf(experimentStatuses),
    created_at: integer,
    ends_at: integer,
    ended_at: orNull(integer),
    end_reason: orNull(oneOf(endReasons)),
    winner: orNull(oneOf(arms)),
    promoted: withDefault(integer),
    /** Recorded when it ended. */
    results: orNull(text),
    updated_at: integer,
  },
  experiment_sessions: {
    experiment_id: text,
    arm: oneOf(arms),
    session_id: text,
    calls: integer,
    errors: integer,
    priced_calls: integer,
    cost_microcents: integer,
    /** Calls after the threshold was fixed, and how many of them were slower. */
    tested_calls: integer,
    slow_calls: integer,
  },
  /** By millisecond, so that percentiles are exact. */
  experiment_latencies: { experiment_id: text, arm: oneOf(arms), latency_ms: integer, calls: integer },
  /** JSON of `core/experiments/tally.ts`. */
  experiment_tallies: { experiment_id: text, tally: text },
} as const satisfies TableDeclarations;
