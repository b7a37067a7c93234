import type { CallSums } from "@tollgate/core/money/call-sums";
import type { Scope } from "../../ledger/scope.ts";
import type { BreakdownFilter } from "../breakdown.ts";
import type { Page, Position } from "../page.ts";
import type { VisibleWindow, Window } from "../window.ts";
import type { DayTotals } from "./usage-queries.ts";

export interface SubjectTotals extends CallSums {
  /** The session's or customer's id, or the config version. */
  readonly key: string;
  readonly first_at: number;
  readonly last_at: number;
}

/** The calls made or reported with an API key. */
export interface KeyUsage extends CallSums {
  readonly last_at: number;
}

type PageOfWindow = [window: VisibleWindow, limit: number, after?: Position];

type SubjectPages = (scope: Scope, ...page: PageOfWindow) => Promise<Page<SubjectTotals>>;

/** Sessions, customers, config versions and API keys. */
export interface SubjectQueries {
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
}
