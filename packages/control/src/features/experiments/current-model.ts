import { DAY_MS } from "@tollgate/core/time/durations";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";

const WEEK_MS = 7 * DAY_MS;

/** The model the agent is switched to, otherwise its most called one of the last week; null: none. */
export async function currentModel(
  { db, scope, readModel, now }: Pick<Context, "db" | "scope" | "readModel" | "now">,
  agentId: string,
): Promise<string | null> {
  const switched = await db
    .selectFrom("optimizations")
    .select("payload")
    .where(inScope(scope))
    .where("agent_id", "=", agentId)
    .where("optimization_type", "=", "model_switch")
    .where("undone_at", "is", null)
    .executeTakeFirst();
  const model = switched === undefined ? null : modelIn(switched.payload);
  if (model !== null) return model;
  const { byModel } = await readModel.usage(scope, { from: now() - WEEK_MS, to: now() + 1 }, agentId);
  const most = byModel.toSorted((a, b) => b.calls - a.calls)[0];
  return most !== undefined && most.calls > 0 ? most.model : null;
}

function modelIn(payload: string): string | null {
  const parsed: unknown = JSON.parse(payload);
  if (typeof parsed !== "object" || parsed === null || !("model" in parsed)) return null;
  return typeof parsed.model === "string" ? parsed.model : null;
}
