import { type Budget, countedAt, countsToward } from "@tollgate/core/budgets/budget";
import { withheldBy } from "@tollgate/core/budgets/flags";
import { periodSpan } from "@tollgate/core/budgets/period";
import type { Event } from "@tollgate/core/event";
import type { ControlDb } from "../database/schema.ts";
import { decodeSharedEvent } from "./shared-event.ts";

const BATCH_SIZE = 2000;

export interface BudgetShare {
  readonly budget: Budget;
  readonly period: string;
  /** False: the node has never asked for a part of it, for example because it did not block. */
  readonly hasRow: boolean;
  spentMicrocents: number;
}

/** Adds what the node has shipped to each share. Events from before `sinceMs` are not looked at. */
export async function countShipped(
  db: ControlDb,
  nodeId: string,
  shares: readonly BudgetShare[],
  sinceMs: number,
  also: (event: Event) => void = () => {},
): Promise<void> {
  const byAgent = Map.groupBy(shares, ({ budget }) => agentName(budget.orgId, budget.agentKey));
  for await (const event of eventsOf(db, nodeId, sinceMs)) {
    for (const share of byAgent.get(agentName(event.org_id, event.agent_key)) ?? []) count(share, event);
    for (const share of byAgent.get(agentName(event.org_id, null)) ?? []) count(share, event);
    also(event);
  }
}

const agentName = (orgId: string, agentKey: string | null) => JSON.stringify([orgId, agentKey]);

function count(share: BudgetShare, event: Event): void {
  const { budget, period } = share;
  if (event.org_id !== budget.orgId || event.mode !== budget.mode || !countsToward(budget, event)) return;
  if (periodSpan(budget.period, countedAt(budget, event.created_at)).id !== period) return;
  share.spentMicrocents += event.cost_microcents + withheldBy(event.budget_flags, budget);
}

async function* eventsOf(db: ControlDb, nodeId: string, sinceMs: number): AsyncGenerator<Event> {
  let position = 0;
  for (;;) {
    const rows = await db
      .selectFrom("shared_events")
      .select(["position", "event"])
      .where("node_id", "=", nodeId)
      .where("created_at", ">=", sinceMs)
      .where("position", ">", position)
      .orderBy("position")
      .limit(BATCH_SIZE)
      .execute();
    for (const { event } of rows) yield decodeSharedEvent(event);
    const last = rows.at(-1);
    if (last === undefined) return;
    position = last.position;
  }
}
