import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { Selectable } from "kysely";

export type ExperimentRow = Selectable<ControlSchema["experiments"]>;

/** Statuses that still count calls. */
export const openStatuses = ["running", "paused"] as const;

export function isOpen({ status }: Pick<ExperimentRow, "status">): boolean {
  return openStatuses.some(open => open === status);
}
