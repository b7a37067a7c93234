import { fail } from "@tollgate/core/errors";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import { openStatuses } from "./experiment-row.ts";

/** While an experiment compares two models, a third would be counted as one of them. */
export async function refuseDuringExperiment({ db, scope }: Context, agentId: string): Promise<void> {
  const open = await db
    .selectFrom("experiments")
    .select("id")
    .where(inScope(scope))
    .where("agent_id", "=", agentId)
    .where("status", "in", openStatuses)
    .executeTakeFirst();
  if (open !== undefined) {
    throw fail("invalid_request", "This agent has an experiment; stop it before switching its model");
  }
}
