import type { StoredRow } from "@tollgate/storage/database/schema";

export type ExperimentRow = StoredRow<"experiments">;

/** Statuses that still count calls. */
export const openStatuses = ["running", "paused"] as const;

export function isOpen({ status }: Pick<ExperimentRow, "status">): boolean {
  return openStatuses.some(open => open === status);
}
