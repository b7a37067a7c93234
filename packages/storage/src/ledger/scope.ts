import type { Mode } from "@tollgate/core/event";

/** Organization and mode. Test traffic is never in a total of live traffic, so every query has a scope. */
export interface Scope {
  readonly orgId: string;
  readonly mode: Mode;
}
