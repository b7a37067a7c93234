import type { CostExplanation } from "@tollgate/core/contract/explain-cost";
import type { Event, EventStatus } from "@tollgate/core/event";
import type { RateCard } from "@tollgate/core/pricing/rates";
import type {
  ListedRefusal,
  RefusalCounting,
  RefusalFilter,
  RefusalGroup,
} from "../../ledger/read-refusals.ts";
import type { Scope } from "../../ledger/scope.ts";
import type { Page, Position } from "../page.ts";
import type { Window } from "../window.ts";

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

export interface ListedEvent {
  readonly position: Position;
  readonly event: Event;
  /** Added to the event's own cost by reratings. */
  readonly adjustment_microcents: number;
  /** Its cost is unknown, and no rerating has found one. */
  readonly is_unpriced: boolean;
}

/** Single calls: recorded as events, or refused. */
export interface EventQueries {
  events(scope: Scope, filter: EventFilter, limit: number, after?: Position): Promise<Page<ListedEvent>>;
  /** By its own id, or by the id it was ingested under. */
  event(scope: Scope, id: string): Promise<ListedEvent | null>;
  /** The same event, with an explanation of its cost. */
  explainedEvent(
    scope: Scope,
    id: string,
  ): Promise<{ readonly event: Event; readonly explanation: CostExplanation } | null>;
  /** Rate cards of the ledger by version; one that it does not have is absent. */
  rateCards(versions: Iterable<string>): ReadonlyMap<string, RateCard>;
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
}
