import type { AgentStatus } from "@tollgate/core/agents/status";
import type { Spend } from "@tollgate/core/budgets/account";
import type { CostExplanation } from "@tollgate/core/contract/explain-cost";
import type { Event, EventStatus } from "@tollgate/core/event";
import type { CallSums } from "@tollgate/core/money/call-sums";
import type { CostBucket } from "@tollgate/core/predictions/usage-series";
import type { RateCard } from "@tollgate/core/pricing/rates";
import type { ListedRefusal, RefusalCounting, RefusalFilter, RefusalGroup } from "../ledger/read-refusals.ts";
import type { Scope } from "../ledger/scope.ts";
import type {
  Breakdown,
  BreakdownFilter,
  BreakdownQuestion,
  CostKindBucket,
  RankedQuestion,
} from "./breakdown.ts";
import type { Window } from "./window.ts";

/** A window, and the earliest time that the organization's tier shows; absent: everything. */
export interface VisibleWindow extends Window {
  readonly visibleFrom?: number;
}

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

export interface AgentRecord {
  /** The public UUID. */
  readonly id: string;
  readonly agent_key: string;
  readonly first_seen_at: number;
  readonly last_call_at: number | null;
  /** Of the last 60 minutes; they determine its status. */
  readonly recent_calls: number;
  readonly recent_errors: number;
}

export interface AgentTotals extends Totals {
  readonly agent_id: string;
  readonly agent_key: string;
}

export interface AgentFilter {
  readonly status?: AgentStatus;
  /** `category` in the agent's metadata. */
  readonly category?: string;
  /** Part of its name or key, in upper or lower case. */
  readonly search?: string;
  readonly isBreakerOn?: boolean;
}

export interface AgentPage {
  readonly rows: readonly AgentRecord[];
  /** The public id of the last agent shown; null: no more. */
  readonly next: string | null;
}

export type FleetCounts = Readonly<Record<AgentStatus, number>>;

/** Selects agents by cost. */
export interface AgentsByCostChoice {
  readonly limit: number;
  readonly offset?: number;
  /** Only these agents (public ids). */
  readonly agentIds?: readonly string[];
}

export interface SubjectTotals extends CallSums {
  /** The session's or customer's id, or the config version. */
  readonly key: string;
  readonly first_at: number;
  readonly last_at: number;
}

/** Whose calls: at most one is set; none: the whole organization's. */
export interface CallsOf {
  /** The public id. */
  readonly agentId?: string;
  readonly keyId?: string;
  readonly customerId?: string;
}

/** The calls made or reported with an API key. */
export interface KeyUsage extends CallSums {
  readonly last_at: number;
}

/** An outcome, and the agents of the first and last call in its session before it. */
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

export interface EventFilter {
  readonly agentKey?: string;
  readonly sessionId?: string;
  readonly customerId?: string;
  readonly configVersion?: string;
  readonly keyId?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly status?: EventStatus;
  readonly from?: number;
  readonly to?: number;
}

/** Where a list continues: after the last row returned, newest first. */
export interface Position {
  readonly at: number;
  readonly seq: number;
}

export interface ListedEvent {
  readonly position: Position;
  readonly event: Event;
  /** Added to the event's own cost by reratings. */
  readonly adjustment_microcents: number;
  /** Its cost is unknown, and no rerating has found one. */
  readonly is_unpriced: boolean;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** null: no more. */
  readonly next: Position | null;
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

type PageOfWindow = [window: VisibleWindow, limit: number, after?: Position];
type SubjectPages = (scope: Scope, ...page: PageOfWindow) => Promise<Page<SubjectTotals>>;

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
  /** Sessions with an outcome. */
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

/**
 * All queries on the data derived from the ledger. One implementation for both engines (`control-read-model.ts`);
 * nothing outside `storage` writes SQL against it.
 */
export interface ReadModel {
  /** All agents, or one (by its public id). */
  usage(scope: Scope, window: Window, agentId?: string): Promise<Usage>;
  /** Calls by group, and by hour or day. The total is of all groups, shown or not. */
  breakdown(scope: Scope, question: RankedQuestion): Promise<Breakdown>;
  /** Costs by kind, and by hour or day. The rest of a cost is of no known kind. */
  costKinds(scope: Scope, question: BreakdownQuestion): Promise<CostKindBucket[]>;
  /** Time of the first call, even if it was reported later; null: no calls. */
  firstCallAt(scope: Scope): Promise<number | null>;
  /** Every agent with calls within the window, most expensive first. Grows with the fleet. */
  usageByAgent(scope: Scope, window: Window): Promise<AgentTotals[]>;
  /** Most expensive first; agents without calls within the window have zeros. */
  agentsByCost(scope: Scope, window: Window, choice: AgentsByCostChoice): Promise<AgentTotals[]>;
  /** How many agents had a cost within the window; of all, or of these (public ids). */
  spendingAgents(scope: Scope, window: Window, agentIds?: readonly string[]): Promise<number>;
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
  /** By agent key, starting after the agent with the public id `after`. */
  agentPage(
    scope: Scope,
    now: number,
    filter: AgentFilter,
    limit: number,
    after?: string,
  ): Promise<AgentPage>;
  /** Number of matches. */
  countAgents(scope: Scope, now: number, filter: AgentFilter): Promise<number>;
  fleetCounts(scope: Scope, now: number): Promise<FleetCounts>;
  /** The agents with these public ids, unordered; agents of another scope are not found. */
  agentsById(scope: Scope, now: number, agentIds: readonly string[]): Promise<AgentRecord[]>;
  /** Public ids by key. */
  agentIds(scope: Scope, agentKeys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  agent(scope: Scope, agentId: string, now: number): Promise<AgentRecord | null>;
  /** Calls that the gateway refused, newest first. */
  refusals(
    scope: Scope,
    filter: RefusalFilter,
    limit: number,
    after?: Position,
  ): Promise<Page<ListedRefusal>>;
  /** Refused calls of the whole hours that the window touches, most frequent first; of all agents or one. */
  refusalCounts(
    scope: Scope,
    window: Window,
    by: RefusalCounting[2],
    atMost: number,
    agentKey?: string,
  ): Promise<RefusalGroup[]>;
  events(scope: Scope, filter: EventFilter, limit: number, after?: Position): Promise<Page<ListedEvent>>;
  /** Rate cards of the ledger by version; one that it does not have is absent. */
  rateCards(versions: Iterable<string>): ReadonlyMap<string, RateCard>;
  /** By its own id, or by the id it was ingested under. */
  event(scope: Scope, id: string): Promise<ListedEvent | null>;
  /** The same event, with an explanation of its cost. */
  explainedEvent(
    scope: Scope,
    id: string,
  ): Promise<{ readonly event: Event; readonly explanation: CostExplanation } | null>;
  /**
   * Those active within the window, latest activity first. Totals cover their whole life, or the time since
   * `visibleFrom`; nothing older is returned.
   */
  readonly sessions: SubjectPages;
  /** Sessions with a call within the window that matches. */
  readonly sessionsOf: (
    scope: Scope,
    filter: Pick<BreakdownFilter, "agentId" | "customerId">,
    ...page: PageOfWindow
  ) => Promise<Page<SubjectTotals>>;
  session(scope: Scope, sessionId: string, visibleFrom?: number): Promise<SubjectTotals | null>;
  readonly customers: SubjectPages;
  customer(scope: Scope, customerId: string, visibleFrom?: number): Promise<SubjectTotals | null>;
  /** A customer's days within the window, oldest first; zeros for empty days (latency is not recorded here). */
  customerDays(
    scope: Scope,
    customerId: string,
    window: Window,
  ): Promise<Omit<DayTotals, "latency_sum_ms">[]>;
  readonly configVersions: SubjectPages;
  /** By key id, absent for unused keys. Totals cover the time since `visibleFrom`; the last use may be older. */
  keyUsage(
    scope: Scope,
    keyIds: readonly string[],
    visibleFrom: number,
  ): Promise<ReadonlyMap<string, KeyUsage>>;
  /** Outcomes of the window, oldest first. */
  outcomes(scope: Scope, window: Window): Promise<OutcomeTouches[]>;
  /** Every agent by key, from whole UTC days; `recentFrom` is the start of one. */
  agentHealth(scope: Scope, window: Window, recentFrom: number): Promise<AgentHealthRecord[]>;
  /** Agents with outcomes that report success or failure. */
  outcomesByAgent(scope: Scope, window: Window): Promise<AgentOutcomes[]>;
  /** The calls per day of every agent, over whole UTC days. */
  agentVolumes(scope: Scope, days: Window): Promise<AgentVolume[]>;
  /** Volumes of the whole UTC days `days`, calls of `calls`, sessions and outcomes of `outcomes`. */
  agentSignals(
    scope: Scope,
    windows: { readonly days: Window; readonly calls: Window; readonly outcomes: Window },
  ): Promise<AgentSignals>;
  /** Spend by budget id, as the gateway recorded it with the events; absent for a budget without calls. */
  budgetSpend(
    budgets: readonly { readonly id: string; readonly since: number; readonly period: string }[],
  ): Promise<ReadonlyMap<string, Spend>>;
  /** Calls that count toward the tier's limit, in a UTC month such as 2026-11. */
  monthlyCalls(orgId: string, month: string): Promise<number>;
  /** The ledger's newest seq; 0 if there is no event yet. */
  newestSeq(): Promise<number>;
  /** How many events the follower is behind the ledger. */
  lag(): Promise<number>;
  /** Up to when the results are complete: `now`, or the time of the last processed event. */
  followedUntil(now: number): Promise<number>;
}
