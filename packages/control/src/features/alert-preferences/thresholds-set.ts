import { fail } from "@tollgate/core/errors";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { alertPreferencesOf } from "./preferences-of.ts";
import { type AlertThresholdRow, toAlertThreshold } from "./to-threshold.ts";

/** Every threshold is evaluated for every call. */
const MAX_THRESHOLDS = 100;

export const alertsThresholdsSet: Handler<"alerts.thresholds.set"> = async (context, input) => {
  const { scope } = context;
  if (input.metric === "error_rate" && input.threshold_value > 1) {
    throw fail("invalid_request", "threshold_value: an error rate is a decimal of at most 1");
  }
  const agent =
    input.agent_id === undefined ? null : await context.readModel.agent(scope, input.agent_id, context.now());
  if (input.agent_id !== undefined && agent === null) {
    throw fail("invalid_request", "agent_id: there is no such agent");
  }
  const now = context.now();
  const row = await set(context, {
    id: context.newId(),
    org_id: scope.orgId,
    mode: scope.mode,
    agent_id: agent?.id ?? null,
    agent_key: agent?.agent_key ?? null,
    metric: input.metric,
    threshold_value: input.threshold_value,
    action: input.action,
    created_at: now,
    updated_at: now,
  });
  return toAlertThreshold(row, await alertPreferencesOf(context.db, scope.orgId));
};

async function set(context: Context, row: AlertThresholdRow): Promise<AlertThresholdRow> {
  return await context.db.transaction().execute(async transaction => {
    // Of two concurrent inserts of the same rule, the second becomes an update.
    await lockOrganization(transaction, context.engine, row.org_id);
    const rows = await transaction
      .selectFrom("alert_thresholds")
      .selectAll()
      .where("org_id", "=", row.org_id)
      .where("mode", "=", row.mode)
      .execute();
    const known = rows.find(
      ({ agent_id, metric, action }) =>
        agent_id === row.agent_id && metric === row.metric && action === row.action,
    );
    if (known === undefined) {
      if (rows.length >= MAX_THRESHOLDS) {
        throw fail(
          "invalid_request",
          `This organization already has ${MAX_THRESHOLDS} thresholds, the maximum`,
        );
      }
      await transaction.insertInto("alert_thresholds").values(row).execute();
      return row;
    }
    const change = { threshold_value: row.threshold_value, updated_at: row.updated_at };
    await transaction.updateTable("alert_thresholds").set(change).where("id", "=", known.id).execute();
    return { ...known, ...change };
  });
}
