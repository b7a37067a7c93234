import type { RecentCall } from "@tollgate/storage/read-model/reading/watch-usage";

/** A call newly read from the ledger. */
export interface NewCall extends RecentCall {
  /** Ingested, perhaps long after it was made; the gateway records its own calls immediately. */
  readonly isImported: boolean;
}
