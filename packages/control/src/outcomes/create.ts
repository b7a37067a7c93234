import { fail } from "@tollgate/core/errors";
import type { Context } from "../kernel/context.ts";
import type { Handler } from "../kernel/handler.ts";
import { type OutcomeRow, toOutcome } from "./to-outcome.ts";

export const outcomesCreate: Handler<"outcomes.create"> = async (context, input) => {
  const { scope } = context;
  const agentId = await agentOf(context, input);
  const row: OutcomeRow = {
    id: context.newId(),
    org_id: scope.orgId,
    mode: scope.mode,
    name: input.name,
    session_id: input.session_id ?? null,
    agent_id: agentId,
    event_id: input.event_id ?? null,
    outcome_type: input.outcome_type ?? null,
    source: input.source,
    success: input.success === undefined ? null : input.success ? 1 : 0,
    value_cents: input.value_cents ?? null,
    notes: input.notes ?? null,
    metadata: JSON.stringify(input.metadata ?? {}),
    confirmed_by: null,
    confirmed_at: null,
    created_at: context.now(),
  };
  await context.db.insertInto("outcomes").values(row).execute();
  return await toOutcome(context, row);
};

/** The agent to credit: the named one, or the one that made the named call. Whatever is named must exist. */
async function agentOf(
  { readModel, scope, now }: Context,
  { agent_id, event_id }: { readonly agent_id?: string | undefined; readonly event_id?: string | undefined },
): Promise<string | null> {
  if (agent_id !== undefined && (await readModel.agent(scope, agent_id, now())) === null) {
    throw fail("invalid_request", "agent_id: there is no such agent");
  }
  if (event_id === undefined) return agent_id ?? null;
  const named = await readModel.event(scope, event_id);
  if (named === null) throw fail("invalid_request", "event_id: there is no such event");
  const caller = (await readModel.agentIds(scope, [named.event.agent_key])).get(named.event.agent_key);
  if (agent_id !== undefined && caller !== undefined && caller !== agent_id) {
    throw fail("invalid_request", "event_id: this event belongs to another agent");
  }
  return agent_id ?? caller ?? null;
}
