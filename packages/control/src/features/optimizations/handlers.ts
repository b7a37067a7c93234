import type { optimizationOperations } from "@tollgate/core/contract/optimizations";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Handlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { causeOf } from "../actuations/cause-of.ts";
import { undoOptimization } from "../actuations/undo-optimization.ts";
import { findAgent } from "../agents/find-agent.ts";
import { refuseDuringExperiment } from "../experiments/refuse-during-experiment.ts";
import { agentsOptimizationsApply } from "./apply.ts";
import { summarizeOptimizations } from "./summarize-optimizations.ts";
import { toOptimization } from "./to-optimization.ts";

export const optimizationHandlers: Handlers<typeof optimizationOperations> = {
  "agents.optimizations.apply": agentsOptimizationsApply,

  "agents.optimizations.list": async (context, { id, limit }) => {
    const agent = await findAgent(context, id);
    const rows = await context.db
      .selectFrom("optimizations")
      .selectAll()
      .where(inScope(context.scope))
      .where("agent_id", "=", agent.id)
      .orderBy("applied_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    return { optimizations: rows.map(toOptimization) };
  },

  "agents.optimizations.undo": async (context, { id, optimization_id: optimizationId }) => {
    const { db, scope } = context;
    const agent = await findAgent(context, id);
    const find = () =>
      db
        .selectFrom("optimizations")
        .selectAll()
        .where(inScope(scope))
        .where("agent_id", "=", agent.id)
        .where("id", "=", optimizationId)
        .executeTakeFirst();
    const known = await find();
    if (known === undefined) throw notFound("optimization");
    if (known.optimization_type === "model_switch" && known.undone_at === null) {
      await refuseDuringExperiment(context, agent.id);
    }
    await db
      .transaction()
      .execute(transaction =>
        undoOptimization(transaction, context, known, causeOf(context.actor), "undone"),
      );
    return { undone: true, optimization: toOptimization((await find()) ?? known) };
  },

  "optimizations.summary": context => summarizeOptimizations(context),
};
