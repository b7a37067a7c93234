import { fail } from "@tollgate/core/errors";
import { resolveTreatment } from "@tollgate/core/experiments/resolve-treatment";
import { DAY_MS } from "@tollgate/core/time/durations";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { causeOf } from "../actuations/cause-of.ts";
import { recordActuation } from "../actuations/record-actuation.ts";
import { findAgent } from "../agents/find-agent.ts";
import { currentModel } from "./current-model.ts";
import { type ExperimentRow, openStatuses } from "./experiment-row.ts";
import { toExperiment } from "./to-experiment.ts";

export const experimentsCreate: Handler<"experiments.create"> = async (context, input) => {
  const agent = await findAgent(context, input.agent_id);
  const treatment = resolveTreatment(input.treatment_model, context.catalogue, new Date(context.now()));
  const control = await currentModel(context, agent.id);
  if (control !== null && control.toLowerCase() === treatment.toLowerCase()) {
    throw fail("invalid_request", "treatment_model: this is the model that the agent already uses");
  }
  const now = context.now();
  const row: ExperimentRow = {
    id: context.newId(),
    org_id: context.scope.orgId,
    mode: context.scope.mode,
    agent_id: agent.id,
    agent_key: agent.agent_key,
    name: input.name,
    control_model: control,
    treatment_model: treatment,
    traffic_pct: input.traffic_pct,
    primary_metric: input.primary_metric,
    max_duration_days: input.max_duration_days,
    auto_promote: input.auto_promote ? 1 : 0,
    status: "running",
    created_at: now,
    ends_at: now + input.max_duration_days * DAY_MS,
    ended_at: null,
    end_reason: null,
    winner: null,
    promoted: 0,
    results: null,
    updated_at: now,
  };
  await insert(context, row);
  return await toExperiment(context.db, row, now);
};

async function insert(context: Context, row: ExperimentRow): Promise<void> {
  await context.db.transaction().execute(async transaction => {
    // Of two concurrent starts, the second finds the first.
    await lockOrganization(transaction, context.engine, row.org_id);
    const open = await transaction
      .selectFrom("experiments")
      .select("id")
      .where("org_id", "=", row.org_id)
      .where("mode", "=", row.mode)
      .where("agent_id", "=", row.agent_id)
      .where("status", "in", openStatuses)
      .executeTakeFirst();
    if (open !== undefined) {
      throw fail("invalid_request", "This agent already has an experiment; stop it first", {
        experiment_id: open.id,
      });
    }
    await transaction.insertInto("experiments").values(row).execute();
    await recordActuation(transaction, context, {
      scope: context.scope,
      agent: { id: row.agent_id, agentKey: row.agent_key },
      type: "experiment",
      change: "start",
      subjectId: row.id,
      cause: causeOf(context.actor),
      askedAt: row.created_at,
    });
  });
}
