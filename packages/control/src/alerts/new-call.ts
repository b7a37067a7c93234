import type { RecentCall } from "@tollgate/storage/read-model/watch-usage";

/** A call newly read from the ledger. */
export interface NewCall extends RecentCall {
  /** Reported by somebody else, perhaps long after it was made; the gateway records its own calls at once. */
  readonly isImported: boolean;
}
