import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import { isSnoozed, snoozedItems } from "../../kernel/snoozed-items.ts";

export interface BlockedProposals {
  readonly agentId: string;
  readonly reason: string;
  readonly proposals: number;
}

/** Proposals that wait for evidence or for a person, by agent and reason. */
export async function blockedProposals({ db, scope, now }: Context): Promise<readonly BlockedProposals[]> {
  const snoozed = await snoozedItems(db, scope, now());
  const rows = await db
    .selectFrom("proposals")
    .select(["id", "agent_id", "source", "source_id", "blocked_reason"])
    .where(inScope(scope))
    .where("status", "in", snoozed.size === 0 ? ["blocked"] : ["open", "blocked"])
    .orderBy("blocked_reason")
    .execute();
  const counts = new Map<string, { agentId: string; reason: string; proposals: number }>();
  for (const row of rows) {
    const reason = isSnoozed(row, snoozed) ? "snoozed" : row.blocked_reason;
    if (row.agent_id === null || reason === null) continue;
    const key = `${row.agent_id} ${reason}`;
    const counted = counts.get(key) ?? { agentId: row.agent_id, reason, proposals: 0 };
    counted.proposals++;
    counts.set(key, counted);
  }
  return [...counts.values()];
}
