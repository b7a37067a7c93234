import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../kernel/context.ts";

export interface BlockedProposals {
  readonly agentId: string;
  readonly reason: string;
  readonly proposals: number;
}

/** Proposals that wait for evidence or for a person, by agent and reason. */
export async function blockedProposals({ db, scope }: Context): Promise<readonly BlockedProposals[]> {
  const rows = await db
    .selectFrom("proposals")
    .select(["agent_id", "blocked_reason"])
    .select(({ fn }) => fn.countAll<number>().as("proposals"))
    .where(inScope(scope))
    .where("status", "=", "blocked")
    .groupBy(["agent_id", "blocked_reason"])
    .orderBy("blocked_reason")
    .execute();
  return rows.flatMap(({ agent_id: agentId, blocked_reason: reason, proposals }) =>
    agentId === null || reason === null ? [] : { agentId, reason, proposals: Number(proposals) },
  );
}
