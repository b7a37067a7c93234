import { fail } from "@tollgate/core/errors";
import type { Control } from "../kernel/context.ts";
import type { ExperimentRow } from "./experiment-row.ts";

/**
 * Pauses a running experiment or resumes a paused one; anything else is refused, also if another request was faster.
 */
export async function changeExperimentStatus(
  { db, now }: Pick<Control, "db" | "now">,
  row: ExperimentRow,
  from: "running" | "paused",
  to: "running" | "paused",
): Promise<ExperimentRow> {
  const change = { status: to, updated_at: now() };
  const { numUpdatedRows } = await db
    .updateTable("experiments")
    .set(change)
    .where("org_id", "=", row.org_id)
    .where("mode", "=", row.mode)
    .where("id", "=", row.id)
    .where("status", "=", from)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw fail(
      "invalid_request",
      `Only an experiment that is ${from} can be ${to === "paused" ? "paused" : "resumed"}`,
    );
  }
  return { ...row, ...change };
}
