import type { experimentOperations } from "@tollgate/core/contract/experiments";
import { fail } from "@tollgate/core/errors";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { causeOf } from "../actuations/cause-of.ts";
import { recordActuation } from "../actuations/record-actuation.ts";
import { findAgent } from "../agents/find-agent.ts";
import { experimentsCreate } from "./create.ts";
import { endExperiment } from "./end-experiment.ts";
import { type ExperimentRow, isOpen } from "./experiment-row.ts";
import { type Experiment, toExperiment } from "./to-experiment.ts";

export const experimentHandlers: Handlers<typeof experimentOperations> = {
  "experiments.create": experimentsCreate,

  "experiments.get": async (context, { id }) =>
    await toExperiment(context.db, await findExperiment(context, id), context.now()),

  "experiments.list": async (context, input) => {
    const { db, scope, now } = context;
    if (input.agent_id !== undefined) await findAgent(context, input.agent_id);
    let query = db.selectFrom("experiments").selectAll().where(inScope(scope));
    if (input.agent_id !== undefined) query = query.where("agent_id", "=", input.agent_id);
    if (input.status !== undefined) query = query.where("status", "=", input.status);
    const rows = await query
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(input.limit)
      .offset(input.offset)
      .execute();
    const experiments = [];
    for (const row of rows) experiments.push(await toExperiment(db, row, now()));
    return { experiments };
  },

  "experiments.pause": async (context, { id }) => await changeStatus(context, id, "running", "paused"),

  "experiments.resume": async (context, { id }) => await changeStatus(context, id, "paused", "running"),

  "experiments.stop": async (context, input) => {
    const row = await findExperiment(context, input.id);
    const ended = isOpen(row)
      ? await endExperiment(context, row.id, {
          reason: "stopped",
          promote: input.promote_winner,
          cause: causeOf(context.actor),
          at: context.now(),
        })
      : null;
    if (ended === null)
      throw fail("invalid_request", "This experiment has already ended; its results are kept");
    return {
      status: ended.row.status,
      promoted: ended.promoted,
      message: ended.message,
      experiment: await toExperiment(context.db, ended.row, context.now()),
    };
  },
};

/** Refuses an experiment whose status is not, or is no longer, `from`. */
async function changeStatus(
  context: Context,
  id: string,
  from: "running" | "paused",
  to: "running" | "paused",
): Promise<Experiment> {
  const row = await findExperiment(context, id);
  const change = { status: to, updated_at: context.now() };
  await context.db.transaction().execute(async transaction => {
    const { numUpdatedRows } = await transaction
      .updateTable("experiments")
      .set(change)
      .where("org_id", "=", row.org_id)
      .where("mode", "=", row.mode)
      .where("id", "=", row.id)
      .where("status", "=", from)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) {
      throw fail(
        "invalid_request",
        `Only a ${from} experiment can be ${to === "paused" ? "paused" : "resumed"}`,
      );
    }
    await recordActuation(transaction, context, {
      scope: context.scope,
      agent: { id: row.agent_id, agentKey: row.agent_key },
      type: "experiment",
      change: to === "paused" ? "pause" : "resume",
      subjectId: row.id,
      cause: causeOf(context.actor),
      askedAt: change.updated_at,
    });
  });
  return await toExperiment(context.db, { ...row, ...change }, context.now());
}

async function findExperiment({ db, scope }: Context, id: string): Promise<ExperimentRow> {
  const row = await db
    .selectFrom("experiments")
    .selectAll()
    .where(inScope(scope))
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("experiment");
  return row;
}
