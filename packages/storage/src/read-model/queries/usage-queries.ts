import type { CallSums } from "@tollgate/core/money/call-sums";
import type { CostBucket } from "@tollgate/core/predictions/usage-series";
import type { Scope } from "../../ledger/scope.ts";
import type { Breakdown, BreakdownQuestion, CostKindBucket, RankedQuestion } from "../breakdown.ts";
import type { Window } from "../window.ts";

export interface Totals extends CallSums {
  readonly latency_sum_ms: number;
}

export interface ModelTotals extends Totals {
  readonly provider: string;
  readonly model: string;
}

export interface DayTotals extends Totals {
  /** First millisecond of the UTC day. */
  readonly day: number;
}

interface Percentiles {
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
}

export interface Usage {
  readonly totals: Totals;
  readonly byModel: readonly ModelTotals[];
  /** Every UTC day that the window touches, oldest first; zeros for empty days. */
  readonly byDay: readonly DayTotals[];
  readonly latency: Percentiles;
}

/** Whose calls: at most one is set; none: the whole organization's. */
export interface CallsOf {
  /** The public id. */
  readonly agentId?: string;
  readonly keyId?: string;
  readonly customerId?: string;
}

/** One hour or UTC day of an agent (null: of all agents). */
export interface SeriesBucket {
  readonly agent_id: string | null;
  /** Its first millisecond. */
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
  readonly cost_microcents: number;
  readonly unpriced_calls: number;
  readonly latency_sum_ms: number;
}

export interface LatencyHour {
  readonly at: number;
  readonly calls: number;
  readonly p99_ms: number;
}

/** How much was called, and what it cost. */
export interface UsageQueries {
  /** All agents, or one (by its public id). */
  usage(scope: Scope, window: Window, agentId?: string): Promise<Usage>;
  /** Calls by group, and by hour or day. The total is of all groups, shown or not. */
  breakdown(scope: Scope, question: RankedQuestion): Promise<Breakdown>;
  /** Costs by kind, and by hour or day. The rest of a cost is of no known kind. */
  costKinds(scope: Scope, question: BreakdownQuestion): Promise<CostKindBucket[]>;
  /** Time of the first call, even if it was reported later; null: no calls. */
  firstCallAt(scope: Scope): Promise<number | null>;
  /** Calls of unknown cost, of the organization, or of one agent, key or customer. */
  unpricedCalls(scope: Scope, window: Window, of?: CallsOf): Promise<number>;
  /**
   * The hours or days with calls that start within the window, oldest first, per agent or for all together. From
   * rollups alone, so the current hour is included up to now.
   */
  usageSeries(
    scope: Scope,
    unit: "hour" | "day",
    window: Window,
    of: "agents" | "organization",
  ): Promise<SeriesBucket[]>;
  /** Costs of one key or customer, of the hours or days that start within the window, oldest first. */
  costSeries(
    scope: Scope,
    unit: "hour" | "day",
    window: Window,
    of: Omit<CallsOf, "agentId">,
  ): Promise<CostBucket[]>;
  /** Hourly 99th percentiles of one agent (by its public id) or of all, oldest first. */
  latencyHours(scope: Scope, window: Window, agentId?: string): Promise<LatencyHour[]>;
  /** Scopes with calls, or ingested calls, since then. */
  activeScopes(since: number): Promise<Scope[]>;
}
