import { expiryOf, freshness } from "@tollgate/core/verification/verdict";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { ScopedControl } from "../../kernel/context.ts";
import { switchedModel } from "../actuations/switched-model.ts";
import { listedName } from "../models/listed-name.ts";

/** Models that must not be offered to an agent that uses these models now. */
export type WorseModels = (agentId: string, usedModels: ReadonlySet<string>) => ReadonlySet<string>;

/**
 * Models that are worse than one that the agent uses: by the newest verdict on each pair of models, over all categories,
 * for the agent or for every agent; or because the breaker has undone a switch of the agent to it, which counts for as
 * long as a verdict would. A verdict after that is newer evidence.
 */
export async function readWorseModels(context: ScopedControl, now: number): Promise<WorseModels> {
  const [verdicts, undone] = await Promise.all([readVerdicts(context), readUndone(context, now)]);
  return (agentId, usedModels) => {
    const newest = new Map<string, (typeof verdicts)[number]>();
    for (const verdict of verdicts) {
      if (verdict.agent_id !== null && verdict.agent_id !== agentId) continue;
      const both = `${verdict.from} ${verdict.candidate_model}`;
      if (usedModels.has(verdict.from) && !newest.has(both)) newest.set(both, verdict);
    }
    const valid = [...newest.values()].filter(
      one => one.invalidated_at === null && freshness({ expires_at_ms: one.expires_at }, now) !== "expired",
    );
    const worse = new Set(
      valid.filter(({ verdict }) => verdict === "degrades").map(({ candidate_model }) => candidate_model),
    );
    for (const { agent_id, applied_at, model } of undone) {
      const isJudgedSince = valid.some(
        ({ candidate_model, concluded_at }) => candidate_model === model && concluded_at > applied_at,
      );
      if (agent_id === agentId && !isJudgedSince) worse.add(model);
    }
    return worse;
  };
}

async function readVerdicts(context: ScopedControl) {
  const rows = await context.db
    .selectFrom("verdicts")
    .select([
      "agent_id",
      "prod_model",
      "candidate_model",
      "verdict",
      "concluded_at",
      "expires_at",
      "invalidated_at",
    ])
    .where(inScope(context.scope))
    .where("task_category", "is", null)
    .orderBy("concluded_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return rows.map(row => ({ ...row, from: listedName(context, row.prod_model) }));
}

/** Switches that the breaker has undone. */
async function readUndone(context: ScopedControl, now: number) {
  const rows = await context.db
    .selectFrom("actuations")
    .select(["agent_id", "subject_id", "applied_at"])
    .where(inScope(context.scope))
    .where("authority", "=", "breaker")
    .where("action_type", "=", "model_switch")
    .execute();
  const recent = rows.filter(({ applied_at }) => expiryOf(applied_at) > now);
  if (recent.length === 0) return [];
  const switches = await context.db
    .selectFrom("optimizations")
    .select(["id", "payload"])
    .where(inScope(context.scope))
    .where(
      "id",
      "in",
      recent.map(({ subject_id }) => subject_id),
    )
    .execute();
  const models = new Map(switches.map(({ id, payload }) => [id, switchedModel(payload)]));
  return recent.flatMap(row => {
    const model = models.get(row.subject_id) ?? null;
    return model === null ? [] : [{ ...row, model: listedName(context, model) }];
  });
}
