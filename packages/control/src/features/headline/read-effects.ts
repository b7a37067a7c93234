import type { OptimizationType } from "@tollgate/core/suggestions/suggestion-types";
import { withoutProvider } from "@tollgate/core/suggestions/switched-saving";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { fromRow } from "@tollgate/storage/database/from-row";
import { sumOf } from "@tollgate/storage/read-model/sum-of";
import type { Window } from "@tollgate/storage/read-model/window";
import { sql } from "kysely";
import type { Context } from "../../kernel/context.ts";
import { readMetadata } from "../../kernel/read-metadata.ts";

/** What an optimization did to calls that asked for one model. */
export interface Effect {
  readonly optimizationId: string;
  readonly agentId: string;
  readonly type: OptimizationType;
  readonly appliedAt: number;
  readonly undoneAt: number | null;
  readonly askedModel: string;
  /** Only for a model switch. */
  readonly switchedTo: string | null;
  readonly calls: number;
  readonly pricedCalls: number;
  readonly savedMicrocents: number;
}

/** For the hours that begin within the window, whether or not the optimization is still in force. */
export async function readEffects(
  { db, scope }: Pick<Context, "db" | "scope">,
  { from, to }: Window,
): Promise<Effect[]> {
  const rows = await db
    .selectFrom("optimizations")
    .innerJoin("optimization_effects as effect", "effect.optimization_id", "optimizations.id")
    .select(["id", "agent_id", "optimization_type", "payload", "applied_at", "undone_at", "asked_model"])
    .select([
      sumOf(sql.ref("effect.calls")).as("calls"),
      sumOf(sql.ref("effect.priced_calls")).as("priced_calls"),
      sumOf(sql.ref("effect.saved_microcents")).as("saved_microcents"),
    ])
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("effect.hour", ">=", Math.ceil(from / HOUR_MS) * HOUR_MS)
    .where("effect.hour", "<", to)
    .groupBy(["id", "agent_id", "optimization_type", "payload", "applied_at", "undone_at", "asked_model"])
    .orderBy("applied_at", "desc")
    .orderBy("id")
    .orderBy("asked_model")
    .execute();
  return rows.map(row => {
    const { model } = readMetadata(row.payload);
    return {
      optimizationId: row.id,
      agentId: row.agent_id,
      type: fromRow("optimizations", row).optimization_type,
      appliedAt: row.applied_at,
      undoneAt: row.undone_at,
      askedModel: row.asked_model,
      switchedTo: typeof model === "string" ? withoutProvider(model) : null,
      calls: row.calls,
      pricedCalls: row.priced_calls,
      savedMicrocents: row.saved_microcents,
    };
  });
}
