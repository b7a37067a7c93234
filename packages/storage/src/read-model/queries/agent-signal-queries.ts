import type { AttributionModel } from "@tollgate/core/attribution/attribution-models";
import type { Scope } from "../../ledger/scope.ts";
import type { Window } from "../window.ts";

/**
 * An outcome, and the agents of the first and last call in its session before it; null also if the attribution model
 * does not need it.
 */
export interface OutcomeTouches {
  readonly id: string;
  readonly outcome_type: string | null;
  /** 1, 0, or null: not reported. */
  readonly success: number | null;
  readonly value_cents: number | null;
  readonly agent_id: string | null;
  readonly first_agent_id: string | null;
  readonly last_agent_id: string | null;
}

/** From the latency histogram of calls. */
export interface LatencySpread {
  readonly calls: number;
  /** null: no calls. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export interface AgentHealthRecord {
  /** The public UUID. */
  readonly agent_id: string;
  readonly agent_key: string;
  readonly last_call_at: number | null;
  readonly calls: number;
  readonly errors: number;
  readonly cost_microcents: number;
  readonly latency: LatencySpread;
  /** Only of the recent days. */
  readonly recentLatency: LatencySpread;
}

export interface AgentOutcomes {
  readonly agent_id: string;
  /** Outcomes that report success or failure. */
  readonly outcomes: number;
  readonly successes: number;
}

export interface AgentCoverage {
  readonly agent_id: string;
  readonly calls: number;
  readonly session_calls: number;
  readonly version_calls: number;
}

export interface AgentSessions {
  readonly agent_id: string;
  readonly sessions: number;
  /** Those with an outcome. */
  readonly joined: number;
}

/** Time from the last call of a session to its outcome. */
export interface LabelLag {
  readonly agent_id: string;
  readonly lag_ms: number;
}

export interface AgentVolume {
  readonly agent_id: string;
  readonly agent_key: string;
  readonly first_seen_at: number;
  /** Its first day with calls; null: there is none. Ingested calls may be older than the agent. */
  readonly first_day: number | null;
  readonly calls: number;
  /** The sum over days of each day's calls, squared. */
  readonly squared_calls: number;
}

/** The available data for a verification. */
export interface AgentSignals {
  /** Every agent, most calls first. */
  readonly volumes: readonly AgentVolume[];
  readonly coverage: readonly AgentCoverage[];
  readonly sessions: readonly AgentSessions[];
  /** Of the newest outcomes. */
  readonly lags: readonly LabelLag[];
}

/** How well agents work: health, outcomes, and the data that a verification can use. */
export interface AgentSignalQueries {
  /** Outcomes of the window, oldest first, with what the model needs to credit them. */
  outcomes(scope: Scope, window: Window, model: AttributionModel): Promise<OutcomeTouches[]>;
  /** Agents with outcomes that report success or failure. */
  outcomesByAgent(scope: Scope, window: Window): Promise<AgentOutcomes[]>;
  /** Every agent by key, from whole UTC days; `recentFrom` is the start of one. */
  agentHealth(scope: Scope, window: Window, recentFrom: number): Promise<AgentHealthRecord[]>;
  /** The calls per day of every agent, over whole UTC days. */
  agentVolumes(scope: Scope, days: Window): Promise<AgentVolume[]>;
  /** Volumes of the UTC days `days`, coverage of `recent` ones, outcomes of `outcomes`, and sessions that began on its days. */
  agentSignals(
    scope: Scope,
    windows: { readonly days: Window; readonly recent: Window; readonly outcomes: Window },
  ): Promise<AgentSignals>;
}
