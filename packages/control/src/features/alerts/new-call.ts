import { DAY_MS } from "@tollgate/core/time/durations";
import type { RecentCall } from "@tollgate/storage/read-model/reading/watch-usage";

/** A call newly read from the ledger. */
export interface NewCall extends RecentCall {
  /** Ingested, perhaps long after it was made; the gateway records its own calls immediately. */
  readonly isImported: boolean;
}

const ACTED_ON_WITHIN_MS = DAY_MS;

/** Imported calls that are older raise no alert. */
export function isTooLateToAct(at: number, now: number): boolean {
  return at < now - ACTED_ON_WITHIN_MS;
}

/** The gateway's own calls raise alerts however old they are: they are only late if the control plane was down. */
export function isHistory({ at, isImported }: NewCall, now: number): boolean {
  return isImported && isTooLateToAct(at, now);
}
