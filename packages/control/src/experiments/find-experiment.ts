import type { Context } from "../kernel/context.ts";
import { notFound } from "../kernel/not-found.ts";
import type { ExperimentRow } from "./experiment-row.ts";

export async function findExperiment({ db, scope }: Context, id: string): Promise<ExperimentRow> {
  const row = await db
    .selectFrom("experiments")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("experiment");
  return row;
}
