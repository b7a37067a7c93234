import type { AgentStatus } from "@tollgate/core/agents/status";
import type { Scope } from "../../ledger/scope.ts";
import type { Window } from "../window.ts";
import type { Totals } from "./usage-queries.ts";

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

/** All calls of a window, from one moment: added up, they are the organization's. */
export interface UsageByAgent {
  /** Those that called, most expensive first. */
  readonly agents: readonly AgentTotals[];
  /** Calls of verifications belong to no agent. */
  readonly verifications: Totals;
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

/** The agents of an organization, and what each of them cost. */
export interface AgentQueries {
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
  /** Grows with the fleet. */
  usageByAgent(scope: Scope, window: Window): Promise<UsageByAgent>;
  /** Most expensive first; agents without calls within the window have zeros. */
  agentsByCost(scope: Scope, window: Window, choice: AgentsByCostChoice): Promise<AgentTotals[]>;
  /** How many agents had a cost within the window; of all, or of these (public ids). */
  spendingAgents(scope: Scope, window: Window, agentIds?: readonly string[]): Promise<number>;
}
