import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { predictionOperations } from "@tollgate/core/contract/predictions";
import { historyStart } from "@tollgate/core/limits/history-window";
import { predictionTypes } from "@tollgate/core/predictions/prediction";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context, PredictionRun } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { findAgent } from "../agents/find-agent.ts";
import { ACTIVE_MS } from "./read-fleet-series.ts";
import { toPrediction } from "./to-prediction.ts";

export const predictionHandlers: Handlers<typeof predictionOperations> = {
  "predictions.acknowledge": async (context, input) => {
    const { db, scope } = context;
    const ids = [...new Set(input.prediction_ids)];
    return await db.transaction().execute(async transaction => {
      const now = context.now();
      await transaction
        .updateTable("predictions")
        .set({ status: "acknowledged", acknowledged_at: now, updated_at: now })
        .where(inScope(scope))
        .where("id", "in", ids)
        .where("status", "=", "active")
        .execute();
      const seen = await transaction
        .selectFrom("predictions")
        .select("id")
        .where(inScope(scope))
        .where("id", "in", ids)
        .where("status", "=", "acknowledged")
        .execute();
      return { acknowledged: seen.length };
    });
  },

  "predictions.list": async (context, input) => {
    const { db, scope } = context;
    if (input.agent_id !== undefined) await findAgent(context, input.agent_id);
    let query = db
      .selectFrom("predictions")
      .selectAll()
      .where(inScope(scope))
      .where("status", "=", input.status)
      // By the time of the last computation, so that an open prediction is never too old.
      .where("updated_at", ">=", historyStart(context.organization.tier, context.now()));
    if (input.agent_id !== undefined) query = query.where("agent_id", "=", input.agent_id);
    if (input.severity !== undefined) query = query.where("severity", "=", input.severity);
    const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(input.limit).execute();
    const run = await lastRunOf(context);
    return {
      predictions: rows.map(toPrediction),
      insufficient_data: (run?.insufficient ?? [])
        .filter(({ agentId }) => input.agent_id === undefined || agentId === input.agent_id)
        .map(({ type, agentId, reason }) => ({ agent_id: agentId, prediction_type: type, reason })),
      computed_at: run?.computedAtMs == null ? null : toIsoTime(run.computedAtMs),
    };
  },
};

/** A scope that was not examined has either no recent calls or only very new ones; the reason says which. */
async function lastRunOf(context: Context): Promise<{
  readonly computedAtMs: number | null;
  readonly insufficient: PredictionRun["insufficient"];
} | null> {
  const { predictionBoard, readModel, scope } = context;
  const run = predictionBoard.of(scope);
  if (run !== null || predictionBoard.lastRunAtMs === null) return run;
  const now = context.now();
  const { totals } = await readModel.usage(scope, { from: now - ACTIVE_MS, to: now + 1 });
  const ofEach = (reason: string) => predictionTypes.map(type => ({ type, agentId: null, reason }));
  return totals.calls > 0
    ? {
        computedAtMs: null,
        insufficient: ofEach("not computed yet; the next run starts within five minutes"),
      }
    : {
        computedAtMs: predictionBoard.lastRunAtMs,
        insufficient: ofEach("needs calls within the last 14 days, and there are none"),
      };
}
