import { describe, expect, it } from "bun:test";
import { defaultAlertPreferences } from "@tollgate/core/alerts/preferences";
import { toAlertThreshold } from "../features/alert-preferences/to-threshold.ts";
import { toAlert } from "../features/alerts/to-alert.ts";
import { shownKey } from "../features/keys/to-key.ts";
import { shownMember } from "../features/members/to-member.ts";
import { toOptimization } from "../features/optimizations/to-optimization.ts";
import { toPrediction } from "../features/predictions/to-prediction.ts";
import { toWebhookDelivery } from "../features/webhooks/to-delivery.ts";

const always = { id: "x", org_id: "org", mode: "live", agent_id: null, created_at: 1, updated_at: 1 };
const text = { message: "", metadata: "{}", payload: "{}", evidence: "{}" };

/** Rows as a newer version might have written them; each was once shown with a wrong default. */
const rows: readonly (readonly [string, () => unknown])[] = [
  [
    "alert_thresholds x: metric",
    () =>
      toAlertThreshold(
        {
          ...always,
          agent_key: null,
          metric: "yearly_cost",
          threshold_value: 1,
          action: "email",
        },
        defaultAlertPreferences,
      ),
  ],
  [
    "alerts x: severity",
    () =>
      toAlert(
        {
          ...always,
          ...text,
          alert_key: "",
          rule_key: "",
          type: "cost_spike",
          severity: "grave",
          triggered_at: 1,
          read_at: null,
          resolved_at: null,
          live_seq: null,
        },
        [],
      ),
  ],
  [
    "api_keys x: scope",
    () =>
      shownKey(
        { ...always, name: null, scope: "admin", last_four: "abcd", created_by: null, revoked_at: null },
        undefined,
      ),
  ],
  ["members x: role", () => shownMember({ ...always, email: "", role: "guest", status: "active" })],
  [
    "optimizations x: optimization_type",
    () =>
      toOptimization({
        ...always,
        ...text,
        agent_id: "a",
        agent_key: "a",
        optimization_type: "batching",
        source: "suggestion",
        applied_by: "",
        applied_at: 1,
        undone_at: null,
      }),
  ],
  [
    "predictions x: prediction_type",
    () =>
      toPrediction({
        ...always,
        ...text,
        prediction_key: "",
        prediction_type: "flood",
        severity: "info",
        confidence: 1,
        predicted_breach_at: null,
        current_value: 1,
        threshold_value: 1,
        trend_direction: "rising",
        status: "active",
        acknowledged_at: null,
        resolved_at: null,
      }),
  ],
  [
    "deliveries x: status",
    () =>
      toWebhookDelivery({
        ...always,
        channel: "webhook",
        receiver: "w",
        kind: "",
        subject_id: "",
        status: "lost",
        tries: 0,
        next_attempt_at: 1,
        first_tried_at: null,
        finished_at: null,
      }),
  ],
];

describe("a row with an unknown enum value", () => {
  it.each(rows)("is an error that names table, id and column: %s", (place, show) => {
    expect(show).toThrow(`${place} is "`);
  });
});
