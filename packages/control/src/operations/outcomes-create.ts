import type { outcomesCreate as operation } from "@tollgate/core/contract/outcomes-create";
import { fail } from "@tollgate/core/errors";
import type { Handler } from "./handler.ts";
import { type OutcomeRow, toOutcome } from "./to-outcome.ts";

export const outcomesCreate: Handler<typeof operation> = async (context, input) => {
  const { scope } = context;
  if (input.agent_id !== undefined) {
    const agent = await context.readModel.agent(scope, input.agent_id, context.now());
    if (agent === null) throw fail("invalid_request", "agent_id: there is no such agent");
  }
  const row: OutcomeRow = {
    id: context.newId(),
    org_id: scope.orgId,
    mode: scope.mode,
    name: input.name,
    session_id: input.session_id ?? null,
    agent_id: input.agent_id ?? null,
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
