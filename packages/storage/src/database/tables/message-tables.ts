import { alertSeverities, alertTypes } from "@tollgate/core/alerts/alert-types";
import { deliveryStatuses } from "@tollgate/core/contract/webhooks";
import { modes } from "@tollgate/core/event";
import { predictionStatuses, predictionTypes, trendDirections } from "@tollgate/core/predictions/prediction";
import {
  integer,
  oneOf,
  orNull,
  real,
  type TableDeclarations,
  text,
  withDefault,
} from "../../engine/columns.ts";

/** Alerts, predictions and outgoing messages. */
export const messageTables = {
  alerts: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Rule, subject and period: each combination fires once. */
    alert_key: text,
    type: oneOf(alertTypes),
    severity: oneOf(alertSeverities),
    message: text,
    metadata: text,
    agent_id: orNull(text),
    triggered_at: integer,
    read_at: orNull(integer),
    /** Rule and subject without the period: while one alert is open, the same one is not sent again. */
    rule_key: withDefault(text),
    /** When the condition ended. */
    resolved_at: orNull(integer),
    /** Its sequence number on the live channel; null until assigned. */
    live_seq: orNull(integer),
  },
  predictions: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Type and subject: at most one unresolved prediction for each. */
    prediction_key: text,
    agent_id: orNull(text),
    prediction_type: oneOf(predictionTypes),
    severity: oneOf(alertSeverities),
    confidence: real,
    predicted_breach_at: orNull(integer),
    current_value: real,
    threshold_value: real,
    trend_direction: oneOf(trendDirections),
    message: text,
    evidence: text,
    status: oneOf(predictionStatuses),
    created_at: integer,
    updated_at: integer,
    acknowledged_at: orNull(integer),
    resolved_at: orNull(integer),
  },
  /** An outgoing message to a webhook or over an alert channel, retried until it arrives. */
  deliveries: {
    /** The id that receivers see (`webhook-id`), the same for every attempt. Sorts by time. */
    id: text,
    org_id: text,
    mode: oneOf(modes),
    channel: oneOf(["webhook", "email", "slack", "telegram", "alert_webhook"]),
    /** Its lane: a webhook's id, or channel and organization. */
    receiver: text,
    kind: text,
    /** The event, outcome or alert that it reports. */
    subject_id: text,
    body: text,
    status: oneOf(deliveryStatuses),
    /** Attempts in this round; a replay starts a new round. */
    tries: integer,
    next_attempt_at: integer,
    /** In this round. */
    first_tried_at: orNull(integer),
    created_at: integer,
    finished_at: orNull(integer),
  },
  delivery_attempts: {
    delivery_id: text,
    /** Starts at 1 and continues over all rounds. */
    number: integer,
    started_at: integer,
    duration_ms: integer,
    http_status: orNull(integer),
    error: orNull(text),
    /** The beginning of the response. */
    answer: orNull(text),
  },
} as const satisfies TableDeclarations;
