import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { predictionEvidence } from "@tollgate/core/contract/predictions";
import type { Prediction } from "@tollgate/core/predictions/prediction";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { withoutSync } from "@tollgate/storage/database/without-sync";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { z } from "zod";
import type { Control } from "../../kernel/context.ts";

/**
 * Makes the open predictions match the current ones: new ones are inserted, known ones get new numbers and keep their
 * acknowledgement, the others are resolved. At most one is open per type and subject, enforced by a unique index.
 */
export async function storePredictions(
  parts: Pick<Control, "db" | "engine" | "newId" | "now">,
  scope: Scope,
  predictions: readonly Prediction[],
): Promise<void> {
  const open = await openKeys(parts.db, scope);
  if (open.size === 0 && predictions.length === 0) return;
  const now = parts.now();
  const wanted = new Set(predictions.map(({ key }) => key));
  // What a power cut loses is computed again within minutes.
  await withoutSync(parts, connection =>
    connection.transaction().execute(async transaction => {
      for (const prediction of predictions) {
        const id = open.get(prediction.key);
        if (id === undefined) await insert(transaction, parts.newId(), scope, prediction, now);
        else {
          await transaction
            .updateTable("predictions")
            .set({ ...valuesOf(prediction), updated_at: now })
            .where("org_id", "=", scope.orgId)
            .where("id", "=", id)
            .execute();
        }
      }
      for (const [key, id] of open) {
        if (wanted.has(key)) continue;
        await transaction
          .updateTable("predictions")
          .set({ status: "resolved", resolved_at: now, updated_at: now })
          .where("org_id", "=", scope.orgId)
          .where("id", "=", id)
          .execute();
      }
    }),
  );
}

async function openKeys(db: ControlDb, scope: Scope): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom("predictions")
    .select(["id", "prediction_key"])
    .where(inScope(scope))
    .where("status", "<>", "resolved")
    .execute();
  return new Map(rows.map(row => [row.prediction_key, row.id]));
}

async function insert(
  db: ControlDb,
  id: string,
  scope: Scope,
  prediction: Prediction,
  now: number,
): Promise<void> {
  await db
    .insertInto("predictions")
    .values({
      id,
      org_id: scope.orgId,
      mode: scope.mode,
      prediction_key: prediction.key,
      agent_id: prediction.agentId,
      prediction_type: prediction.type,
      ...valuesOf(prediction),
      status: "active",
      created_at: now,
      updated_at: now,
      acknowledged_at: null,
      resolved_at: null,
    })
    .execute();
}

function valuesOf(prediction: Prediction) {
  return {
    severity: prediction.severity,
    confidence: prediction.confidence,
    predicted_breach_at: prediction.breachAt,
    current_value: prediction.currentValue,
    threshold_value: prediction.thresholdValue,
    trend_direction: prediction.direction,
    message: prediction.message,
    evidence: JSON.stringify(evidenceOf(prediction)),
  };
}

function evidenceOf({
  observation,
  p,
  adjustedP,
  testsMade,
}: Prediction): z.infer<typeof predictionEvidence> {
  const { n, unit, window, tests, slope, slopeUnit, interval } = observation;
  return {
    n,
    unit,
    window: { from: toIsoTime(window.from), to: toIsoTime(window.to) },
    tests: [...tests],
    p,
    adjusted_p: adjustedP,
    tests_made: testsMade,
    slope,
    slope_unit: slopeUnit,
    breach_interval:
      interval === null
        ? null
        : {
            earliest: toIsoTime(interval.earliest),
            latest: interval.latest === null ? null : toIsoTime(interval.latest),
          },
  };
}
