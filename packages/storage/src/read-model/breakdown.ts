import type { Event, EventStatus } from "@tollgate/core/event";
import type { CallSums } from "@tollgate/core/money/call-sums";
import type { CostKind } from "@tollgate/core/money/cost-kinds";
import type { Window } from "./window.ts";

export const callDimensions = [
  "agent",
  "model",
  "provider",
  "customer",
  "config_version",
  "used_key",
] as const;

/** What calls are grouped by. Each call is in exactly one group. */
export type CallDimension = (typeof callDimensions)[number];

export interface BreakdownFilter {
  /** The public id. */
  readonly agentId?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly customerId?: string;
  readonly sessionId?: string;
  readonly configVersion?: string;
  readonly keyId?: string;
  readonly status?: EventStatus;
  readonly source?: Event["source"];
}

/** `none`: one sum of the whole window. */
export type Interval = "hour" | "day" | "none";

export interface BreakdownQuestion {
  readonly window: Window;
  /** Summed beside it. */
  readonly previous?: Window;
  readonly interval: Interval;
  readonly filter: BreakdownFilter;
  /** Affects only which sums are read, never the result: hardly any call is later than now. */
  readonly nowMs: number;
}

export interface RankedQuestion extends BreakdownQuestion {
  readonly groupBy: CallDimension;
  /** The groups shown one by one: this many, after the first `offset`, most expensive first. */
  readonly limit: number;
  readonly offset: number;
  /** Also how the cost of each shown group is made up. */
  readonly withKinds?: boolean;
}

export interface BreakdownBucket extends CallSums {
  /** First millisecond of the UTC hour or day; 0 without an interval, and in the previous period of a group: it is one sum. */
  readonly at: number;
  readonly isPrevious: boolean;
}

export interface BreakdownGroup {
  /** null: the calls without one; for agents, those of verifications. */
  readonly key: string | null;
  /** An agent's own key, or the provider of a model. */
  readonly detail: string | null;
  readonly buckets: readonly BreakdownBucket[];
  /** Of the period, without the previous one; null: not asked for. */
  readonly byKind: CostsByKind | null;
}

export type CostsByKind = Readonly<Record<CostKind, number>>;

export interface Breakdown {
  /** Most expensive first. */
  readonly groups: readonly BreakdownGroup[];
  /** All groups together, shown or not. */
  readonly total: readonly BreakdownBucket[];
  /** Groups with calls within the window, shown or not. */
  readonly groupCount: number;
}

export interface CostKindBucket extends BreakdownBucket {
  readonly byKind: CostsByKind;
}
