import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { predictionEvidence, type predictionResource } from "@tollgate/core/contract/predictions";
import { recommendedActions } from "@tollgate/core/predictions/recommended-actions";
import { shownConfidence, shownP, shownSlope, shownValue } from "@tollgate/core/predictions/shown-numbers";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { StoredRow } from "@tollgate/storage/database/schema";
import type { z } from "zod";

export function toPrediction(row: StoredRow<"predictions">): z.infer<typeof predictionResource> {
  const { prediction_type: type, status, severity, trend_direction } = fromRow("predictions", row);
  const evidence = predictionEvidence.parse(JSON.parse(row.evidence));
  return {
    id: row.id,
    prediction_type: type,
    agent_id: row.agent_id,
    budget_id: type === "budget_exhaustion" ? row.prediction_key.slice(`${type}:`.length) : null,
    status,
    severity,
    confidence: shownConfidence(row.confidence),
    predicted_breach_at: timeOf(row.predicted_breach_at),
    current_value: shownValue(type, row.current_value),
    threshold_value: shownValue(type, row.threshold_value),
    trend_direction,
    message: row.message,
    evidence: {
      ...evidence,
      tests: evidence.tests.map(({ name, p }) => ({ name, p: shownP(p) })),
      p: shownP(evidence.p),
      adjusted_p: shownP(evidence.adjusted_p),
      slope: shownSlope(type, evidence.slope),
    },
    recommended_actions: [...recommendedActions[type]],
    created_at: toIsoTime(row.created_at),
    updated_at: toIsoTime(row.updated_at),
    acknowledged_at: timeOf(row.acknowledged_at),
    resolved_at: timeOf(row.resolved_at),
  };
}

function timeOf(at: number | null): string | null {
  return at === null ? null : toIsoTime(at);
}
