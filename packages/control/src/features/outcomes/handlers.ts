import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { outcomeOperations } from "@tollgate/core/contract/outcomes";
import { fail } from "@tollgate/core/errors";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { actorName } from "../../kernel/actor-name.ts";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { readPageByTime } from "../../kernel/read-page-by-time.ts";
import { enqueueWebhooks } from "../../messaging/delivery/enqueue-webhooks.ts";
import { type OutcomeRow, toOutcome } from "./to-outcome.ts";

export const outcomeHandlers: Handlers<typeof outcomeOperations> = {
  "outcomes.confirm": async (context, input) => {
    const { scope } = context;
    // Read before the transaction, which would block the read model.
    const outcome = await toOutcome(context, await findOutcome(context, input.id));
    const confirmedBy = input.confirmed_by ?? actorName(context.actor);
    const confirmedAt = context.now();
    const receivers = await context.db.transaction().execute(async transaction => {
      const { numUpdatedRows } = await transaction
        .updateTable("outcomes")
        .set({ confirmed_by: confirmedBy, confirmed_at: confirmedAt })
        .where(inScope(scope))
        .where("id", "=", input.id)
        // The first confirmation counts and is sent once, even if two are concurrent.
        .where("confirmed_at", "is", null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return null;
      return await enqueueWebhooks(transaction, context, scope, "outcome.confirmed", outcome.id, {
        id: outcome.id,
        org_id: outcome.org_id,
        name: outcome.name,
        session_id: outcome.session_id,
        confirmed_by: confirmedBy,
        confirmed_at: toIsoTime(confirmedAt),
        related_events: outcome.related_events,
      });
    });
    if (receivers !== null) context.wakeSender(receivers);
    return await toOutcome(context, await findOutcome(context, input.id));
  },

  "outcomes.create": async (context, input) => {
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
  },

  "outcomes.get": async (context, { id }) => await toOutcome(context, await findOutcome(context, id)),

  "outcomes.list": async (context, input) => {
    const { db, scope } = context;
    let query = db.selectFrom("outcomes").selectAll().where(inScope(scope));
    if (input.session_id !== undefined) query = query.where("session_id", "=", input.session_id);
    if (input.agent_id !== undefined) query = query.where("agent_id", "=", input.agent_id);
    if (input.confirmed !== undefined) {
      query = query.where("confirmed_at", input.confirmed ? "is not" : "is", null);
    }
    const { shown, next_cursor } = await readPageByTime(query, input);
    return {
      outcomes: await Promise.all(shown.map(row => toOutcome(context, row))),
      next_cursor,
    };
  },
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

async function findOutcome({ db, scope }: Context, id: string): Promise<OutcomeRow> {
  const row = await db
    .selectFrom("outcomes")
    .selectAll()
    .where(inScope(scope))
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("outcome");
  return row;
}
