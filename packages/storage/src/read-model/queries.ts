import type { AgentStatus } from "@tollgate/core/agents/status";
import type { Spend } from "@tollgate/core/budgets/account";
import type { Event, EventStatus, Mode } from "@tollgate/core/event";
import type { CostExplanation } from "@tollgate/core/pricing/explain-cost";

/** Whose numbers, and which: test traffic is never in a total of live traffic. Every query has one. */
export interface Scope {
  readonly orgId: string;
  readonly mode: Mode;
}

/** From (included) to (excluded), epoch milliseconds. Exact to the millisecond. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A window, and the first moment that the organization's tier shows at all; absent: everything. */
export interface VisibleWindow extends Window {
  readonly visibleFrom?: number;
}

export interface Totals {
  readonly calls: number;
  /** `error`, `timeout` and `interrupted`; a client that left is no error. */
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
  /** Calls whose cost nobody knows: they are in `calls`, and in no cost. */
  readonly unpriced_calls: number;
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

export interface Percentiles {
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
}

export interface Usage {
  readonly totals: Totals;
  readonly byModel: readonly ModelTotals[];
  /** Every UTC day that the window touches, oldest first; empty days with zeros. */
  readonly byDay: readonly DayTotals[];
  readonly latency: Percentiles;
}

export interface AgentRecord {
  /** The public UUID. */
  readonly id: string;
  readonly agent_key: string;
  readonly first_seen_at: number;
  readonly last_call_at: number | null;
  /** Of the last 60 minutes: what its status is judged by. */
  readonly recent_calls: number;
  readonly recent_errors: number;
}

export interface AgentTotals extends Totals {
  readonly agent_id: string;
  readonly agent_key: string;
}

export interface AgentFilter {
  readonly status?: AgentStatus;
  /** `category` of what people keep with the agent. */
  readonly category?: string;
}

export interface AgentPage {
  readonly rows: readonly AgentRecord[];
  /** The public id of the last agent shown; null: that was all. */
  readonly next: string | null;
}

export type FleetCounts = Readonly<Record<AgentStatus, number>>;

/** Which of the agents, by what they cost. */
export interface DearestChoice {
  readonly limit: number;
  readonly offset?: number;
  /** Only of these (public ids). */
  readonly agentIds?: readonly string[];
}

export interface SubjectTotals {
  /** The session's or customer's id, or the config version. */
  readonly key: string;
  readonly calls: number;
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
  readonly unpriced_calls: number;
  readonly first_at: number;
  readonly last_at: number;
}

/** An outcome, and who called first and last in its session before it happened. */
export interface OutcomeTouches {
  readonly id: string;
  readonly outcome_type: string | null;
  /** 1, 0, or null: nobody said. */
  readonly success: number | null;
  readonly value_cents: number | null;
  readonly agent_id: string | null;
  readonly first_agent_id: string | null;
  readonly last_agent_id: string | null;
}

export interface EventFilter {
  readonly agentKey?: string;
  readonly sessionId?: string;
  readonly customerId?: string;
  readonly configVersion?: string;
  readonly model?: string;
  readonly status?: EventStatus;
  readonly from?: number;
  readonly to?: number;
}

/** Where a list goes on: the last row that was seen. Newest first. */
export interface Position {
  readonly at: number;
  readonly seq: number;
}

export interface ListedEvent {
  readonly position: Position;
  readonly event: Event;
  /** Beside the event's own cost, from rerating. */
  readonly adjustment_microcents: number;
  /** Nobody knows its cost, and no rerating has found one. */
  readonly is_unpriced: boolean;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** null: that was all. */
  readonly next: Position | null;
}

/** One hour or UTC day of an agent (null: of all together). */
export interface SeriesBucket {
  readonly agent_id: string | null;
  /** Its first millisecond. */
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
  readonly cost_microcents: number;
  readonly latency_sum_ms: number;
}

export interface LatencyHour {
  readonly at: number;
  readonly calls: number;
  readonly p99_ms: number;
}

/**
 * Everything that is asked of what was derived from the ledger. One implementation for both engines
 * (`control-read-model.ts`); nothing outside `storage` writes SQL about it.
 */
export interface ReadModel {
  /** All agents, or one agent's (by its public id). */
  usage(scope: Scope, window: Window, agentId?: string): Promise<Usage>;
  /** When the first call was made, however late it was told; null: there was none. */
  firstCallAt(scope: Scope): Promise<number | null>;
  /** Everybody who called within the window, the most expensive first. It grows with the fleet. */
  usageByAgent(scope: Scope, window: Window): Promise<AgentTotals[]>;
  /** The most expensive first; whoever did not call within the window has zeros. */
  dearestAgents(scope: Scope, window: Window, choice: DearestChoice): Promise<AgentTotals[]>;
  /** How many agents have spent anything within the window; of all, or of these (public ids). */
  spendingAgents(scope: Scope, window: Window, agentIds?: readonly string[]): Promise<number>;
  /** Calls without a known cost, of all agents or one (by its public id). */
  unpricedCalls(scope: Scope, window: Window, agentId?: string): Promise<number>;
  /**
   * The hours or days that begin within the window and have calls, oldest first; each agent's, or everybody's
   * together. From rollups alone, so that the hour that is not over is in it as far as it got.
   */
  usageSeries(
    scope: Scope,
    unit: "hour" | "day",
    window: Window,
    of: "agents" | "organization",
  ): Promise<SeriesBucket[]>;
  /** Hourly 99th percentiles of one agent (by its public id) or of all together, oldest first. */
  latencyHours(scope: Scope, window: Window, agentId?: string): Promise<LatencyHour[]>;
  /** Whoever has called since then, or was ingested. */
  activeScopes(since: number): Promise<Scope[]>;
  /** By their key; from the agent with the public id `after` on. */
  agentPage(
    scope: Scope,
    now: number,
    filter: AgentFilter,
    limit: number,
    after?: string,
  ): Promise<AgentPage>;
  /** How many match. */
  countAgents(scope: Scope, now: number, filter: AgentFilter): Promise<number>;
  fleetCounts(scope: Scope, now: number): Promise<FleetCounts>;
  /** Those with these public ids, in no order; who is not of this scope is not found. */
  agentsById(scope: Scope, now: number, agentIds: readonly string[]): Promise<AgentRecord[]>;
  /** Public ids by key. */
  agentIds(scope: Scope, agentKeys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  agent(scope: Scope, agentId: string, now: number): Promise<AgentRecord | null>;
  events(scope: Scope, filter: EventFilter, limit: number, after?: Position): Promise<Page<ListedEvent>>;
  /** By its own id, or by the id it was ingested under. */
  event(scope: Scope, id: string): Promise<ListedEvent | null>;
  /** The same event, and why it costs what it costs. */
  explainedEvent(
    scope: Scope,
    id: string,
  ): Promise<{ readonly event: Event; readonly explanation: CostExplanation } | null>;
  /**
   * Newest activity first, restricted to those active within the window. Totals are over their whole life, or from
   * `visibleFrom` on: what is older is in no answer.
   */
  sessions(
    scope: Scope,
    window: VisibleWindow,
    limit: number,
    after?: Position,
  ): Promise<Page<SubjectTotals>>;
  session(scope: Scope, sessionId: string, visibleFrom?: number): Promise<SubjectTotals | null>;
  customers(
    scope: Scope,
    window: VisibleWindow,
    limit: number,
    after?: Position,
  ): Promise<Page<SubjectTotals>>;
  customer(scope: Scope, customerId: string, visibleFrom?: number): Promise<SubjectTotals | null>;
  /** A customer's days within the window, oldest first; empty days with zeros (no latency is kept here). */
  customerDays(
    scope: Scope,
    customerId: string,
    window: Window,
  ): Promise<Omit<DayTotals, "latency_sum_ms">[]>;
  configVersions(
    scope: Scope,
    window: VisibleWindow,
    limit: number,
    after?: Position,
  ): Promise<Page<SubjectTotals>>;
  /** Of the window, oldest first. */
  outcomes(scope: Scope, window: Window): Promise<OutcomeTouches[]>;
  /** What budgets have used up, as the gateway wrote it beside the events: by budget id; nothing of one without calls. */
  budgetSpend(
    budgets: readonly { readonly id: string; readonly since: number; readonly period: string }[],
  ): Promise<ReadonlyMap<string, Spend>>;
  /** Of the ledger: what is appended from now on has a larger one. 0 when there is no event yet. */
  newestSeq(): Promise<number>;
  /** How far the follower is behind the ledger, in events. */
  lag(): Promise<number>;
}
