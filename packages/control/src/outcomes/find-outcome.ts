import type { Context } from "../kernel/context.ts";
import { notFound } from "../kernel/not-found.ts";
import type { OutcomeRow } from "./to-outcome.ts";

export async function findOutcome({ db, scope }: Context, id: string): Promise<OutcomeRow> {
  const row = await db
    .selectFrom("outcomes")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("outcome");
  return row;
}
