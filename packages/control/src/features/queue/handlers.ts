import { breakerRuleKey } from "@tollgate/core/breaker/breaker-alert";
import { toEnvelope } from "@tollgate/core/contract/fields/envelope";
import type { queueOperations } from "@tollgate/core/contract/queue";
import { fail } from "@tollgate/core/errors";
import { withoutProvider } from "@tollgate/core/suggestions/switched-saving";
import { DAY_MS } from "@tollgate/core/time/durations";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { AgentRecord } from "@tollgate/storage/read-model/queries/agent-queries";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { requireFlag } from "../../kernel/require-flag.ts";
import { causeOf } from "../actuations/cause-of.ts";
import { putInForce } from "../actuations/put-in-force.ts";
import { findAgent } from "../agents/find-agent.ts";
import { refuseDuringExperiment } from "../experiments/refuse-during-experiment.ts";
import { type QueueItem, readQueue } from "./read-queue.ts";

const RECENT_MS = 30 * DAY_MS;
const MAX_SNOOZE_MS = 90 * DAY_MS;

export const queueHandlers: Handlers<typeof queueOperations> = {
  "loop_views.queue": async context => {
    await requireFlag(context, "optimization_model_v3");
    const items = await readQueue(context);
    return { total: toEnvelope({ method: "count", value: items.length }, context.now()), items };
  },

  "queue.approve": async (context, { id, agent_id: asked }) => {
    const item = await findItem(context, id);
    if (!item.actions.includes("approve")) {
      throw fail("invalid_request", `This item cannot be approved. ${item.next_step}`);
    }
    const agent = await agentToSwitch(context, item, asked);
    await refuseDuringExperiment(context, agent.id);
    const cause = causeOf(context.actor);
    const at = context.now();
    await context.db.transaction().execute(async transaction => {
      // Proposals are recomputed every hour, under the same lock.
      await lockOrganization(transaction, context.engine, context.scope.orgId);
      const proposal = await transaction
        .selectFrom("proposals")
        .select(["id", "payload"])
        .where(inScope(context.scope))
        .where("source_id", "=", item.subject_id)
        .where("status", "=", "open")
        .executeTakeFirst();
      if (proposal === undefined) throw notFound("queue item");
      // One about all agents stays open for the others.
      if (item.agent_id !== null) {
        await transaction
          .updateTable("proposals")
          .set({ status: "applied", decided_by: cause.actor, decided_at: at, updated_at: at })
          .where("id", "=", proposal.id)
          .execute();
      }
      await putInForce(
        transaction,
        context,
        {
          id: context.newId(),
          org_id: context.scope.orgId,
          mode: context.scope.mode,
          agent_id: agent.id,
          agent_key: agent.agent_key,
          optimization_type: "model_switch",
          payload: proposal.payload,
          source: `verdict:${item.subject_id}`,
          applied_by: cause.actor,
          applied_at: at,
          undone_at: null,
        },
        cause,
      );
    });
    return { id, message: "Within a second the gateway will make the switch; it can be undone" };
  },

  "queue.snooze": async (context, { id, until }) => {
    await findItem(context, id);
    const snoozed_until = Date.parse(until);
    const ahead = snoozed_until - context.now();
    if (ahead <= 0 || ahead > MAX_SNOOZE_MS) {
      throw fail("invalid_request", "until: must be within the next 90 days");
    }
    await mark(context.db, context, id, { snoozed_until });
    return { id, message: `Left out of the queue until ${new Date(snoozed_until).toISOString()}` };
  },

  "queue.acknowledge": async (context, { id }) => {
    const item = await findItem(context, id);
    const at = context.now();
    const { actor } = causeOf(context.actor);
    await context.db.transaction().execute(async transaction => {
      if (item.kind === "breaker_event") {
        await transaction
          .updateTable("actuations")
          .set({ acknowledged_at: at, acknowledged_by: actor })
          .where(inScope(context.scope))
          .where("id", "=", id.slice("breaker_".length))
          .where("acknowledged_at", "is", null)
          .execute();
        await transaction
          .updateTable("alerts")
          .set({ resolved_at: at })
          .where(inScope(context.scope))
          .where("rule_key", "=", breakerRuleKey(item.subject_id))
          .where("resolved_at", "is", null)
          .execute();
      } else if (item.kind === "blocked_proposal") {
        await transaction
          .updateTable("proposals")
          .set({
            status: "dismissed",
            blocked_reason: null,
            decided_by: actor,
            decided_at: at,
            updated_at: at,
          })
          .where(inScope(context.scope))
          .where("id", "=", item.subject_id)
          .execute();
      } else await mark(transaction, context, id, { acknowledged_at: at });
    });
    return { id, message: "Taken off the queue" };
  },
};

/** The verdict's agent; for a verdict about all agents, the requested one, if it calls the verified model. */
async function agentToSwitch(
  context: Context,
  item: QueueItem,
  asked: string | undefined,
): Promise<AgentRecord> {
  if (item.agent_id !== null) {
    if (asked === undefined || asked === item.agent_id) return await findAgent(context, item.agent_id);
    throw fail("invalid_request", "agent_id: the verdict is about another agent; leave it out");
  }
  if (asked === undefined) {
    throw fail(
      "invalid_request",
      "agent_id: required, because the verdict is about all agents that call a model",
    );
  }
  const agent = await findAgent(context, asked);
  const { prod_model } = await context.db
    .selectFrom("verdicts")
    .select("prod_model")
    .where(inScope(context.scope))
    .where("id", "=", item.subject_id)
    .executeTakeFirstOrThrow();
  const window = { from: context.now() - RECENT_MS, to: context.now() + 1 };
  const { byModel } = await context.readModel.usage(context.scope, window, agent.id);
  if (!byModel.some(({ model, calls }) => calls > 0 && model === withoutProvider(prod_model))) {
    const why = `the verdict is about ${prod_model}, which this agent has not called in 30 days`;
    throw fail("invalid_request", `agent_id: ${why}`);
  }
  return agent;
}

/** A key gets 403 whatever it names; an item that is not in the queue is not found. */
async function findItem(context: Context, id: string): Promise<QueueItem> {
  if (context.actor.kind !== "member") {
    throw fail("insufficient_role", "Decisions are made by signed-in members; an API key cannot");
  }
  await requireFlag(context, "optimization_model_v3");
  const item = (await readQueue(context)).find(one => one.id === id);
  if (item === undefined) throw notFound("queue item");
  return item;
}

async function mark(
  db: ControlDb,
  { scope, actor, now }: Context,
  itemId: string,
  change: { readonly snoozed_until?: number; readonly acknowledged_at?: number },
): Promise<void> {
  const marked = { ...change, marked_by: causeOf(actor).actor, marked_at: now() };
  await db
    .insertInto("queue_marks")
    .values({ org_id: scope.orgId, mode: scope.mode, item_id: itemId, ...marked })
    .onConflict(conflict => conflict.columns(["org_id", "mode", "item_id"]).doUpdateSet(marked))
    .execute();
}
