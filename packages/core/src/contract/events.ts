import { z } from "zod";
import {
  costBases,
  eventSources,
  eventStatuses,
  modes,
  pairKinds,
  taskCategories,
  usageSources,
} from "../event.ts";
import { usageKinds } from "../money/usage.ts";
import { historyBeginsAt } from "./fields/history.ts";
import { isoTime, isoTimeInput } from "./fields/iso-time.ts";
import { callerId, idParams, objectId } from "./fields/object-id.ts";
import { nextCursor, pageLimit, sealedCursorInput } from "./fields/paging.ts";
import { declareOperations, readAccess } from "./operation.ts";

const usage = z.partialRecord(z.enum(usageKinds), z.int());

/** One tracked call: the ledger's own record, field by field. */
export const eventResource = z
  .strictObject({
    id: z.string(),
    org_id: z.string(),
    mode: z.enum(modes),
    key_id: z.string().nullable().meta({
      description:
        "The API key with which the call was made or, for ingested events, reported; null: made by a verification, or older than this field",
    }),
    created_at: isoTime,
    source: z.enum(eventSources),
    endpoint: z.string(),
    stream: z.boolean(),
    agent_id: z.string().nullable(),
    agent_key: z.string(),
    session_id: z.string().nullable(),
    customer_id: z.string().nullable(),
    config_version: z.string().nullable(),
    provider: z.string(),
    model: z.string(),
    requested_model: z.string(),
    served_model: z.string().nullable(),
    status: z.enum(eventStatuses),
    http_status: z.int().nullable(),
    error_code: z.string().nullable(),
    latency_ms: z.int(),
    ttft_ms: z.int().nullable(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    usage: usage.readonly(),
    additional_usage: z
      .array(
        z
          .strictObject({ model: z.string(), usage: usage.readonly(), price_version: z.string().nullable() })
          .readonly(),
      )
      .readonly()
      .nullable(),
    usage_source: z.enum(usageSources),
    cost_microcents: z.int(),
    adjustment_microcents: z
      .int()
      .meta({ description: "What a later rerating added to the cost; totals include it" }),
    cost_basis: z
      .enum(costBases)
      .meta({ description: "The basis of `cost_microcents`; `unpriced`: the cost is unknown, not 0" }),
    is_unpriced: z.boolean().meta({
      description: "The cost is unknown; false for an unpriced event that has since been rerated",
    }),
    price_version: z.string().nullable(),
    service_tier: z.string().nullable(),
    response_id: z.string().nullable(),
    request_hash: z.string().nullable(),
    prefix_hash: z.string().nullable(),
    experiment_id: z.string().nullable(),
    arm: z.string().nullable(),
    budget_flags: z.array(z.string()).readonly().nullable(),
    trace_id: z.string().nullable(),
    span_id: z.string().nullable().meta({
      description:
        "With `trace_id`: the span that `traceparent` named, or that telemetry reported for the call",
    }),
    instrumentation: z
      .string()
      .nullable()
      .meta({ description: "The instrumentation scope of that span, for events of source `otlp`" }),
    pair: z
      .strictObject({
        request_id: z.string(),
        pair_id: z.string().meta({ description: "The event of the production call" }),
        kind: z.enum(pairKinds),
        result: z
          .strictObject({ score: z.number(), grader: z.string(), category: z.enum(taskCategories) })
          .readonly()
          .nullable()
          .meta({ description: "On the last call of a graded pair" }),
      })
      .readonly()
      .nullable()
      .meta({
        description: "The verification that made this call, for events of source `shadow` and `judge`",
      }),
  })
  .meta({ id: "Event" });

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const amount = decimal.meta({ description: "Microcents, exact: a decimal number as text" });
const priceVersion = z.string().meta({ description: "The version of one of `rate_cards`" });

const usageLine = z.strictObject({
  type: z.literal("usage"),
  kind: z.enum(usageKinds),
  model: z.string().meta({ description: "The model that did this work; a call may involve several" }),
  count: z.int(),
  unit: z.enum(["token", "use"]),
  rate_microcents: decimal.nullable().meta({ description: "Per unit; null: no price is known" }),
  amount_microcents: amount.nullable().meta({ description: "count × rate; null: no price is known" }),
  price_version: priceVersion.nullable(),
});

const lines = z.discriminatedUnion("type", [
  usageLine,
  z.strictObject({
    type: z.literal("reported"),
    amount_microcents: amount.meta({
      description: "The cost reported by the provider or the sender of the event",
    }),
  }),
  z.strictObject({
    type: z.literal("rounding"),
    amount_microcents: amount.meta({
      description: "Rounding to whole microcents, once per event, half to even",
    }),
  }),
  z.strictObject({
    type: z.literal("adjustment"),
    amount_microcents: amount.meta({ description: "What a rerating added to the cost booked before it" }),
    created_at: isoTime,
    price_version: priceVersion,
    rerated: z
      .strictObject({ to_microcents: z.int(), lines: z.array(usageLine) })
      .nullable()
      .meta({ description: "The whole cost at those rates; null: not all of them were kept" }),
  }),
  z.strictObject({
    type: z.literal("unexplained"),
    amount_microcents: amount.meta({ description: "An error in the ledger: see `svc ledger verify`" }),
  }),
]);

const rateCard = z.strictObject({
  price_version: z.string(),
  provider: z.string(),
  model: z
    .string()
    .meta({ description: "The entry of the price list: a model and its dated snapshots share one" }),
  source: z.string().meta({ description: "`override`, `file`, `tollgate` or `genai-prices@<version>`" }),
  effective_from: z.string().nullable().meta({
    description:
      "The first UTC day on which this price applies, until there is a newer one; null: the oldest known price",
  }),
  above_input_tokens: z.int().nullable().meta({
    description: "Long-context rates, for prompts with more input tokens than this; null: ordinary rates",
  }),
  service_condition: z.string().meta({
    description:
      "How it was served (`standard`, `flex`, `fast+us`, `unknown:<name>`); its factor is in the rates",
  }),
});

/** How a cost is computed: the amounts of the lines, except null ones, add up to `total_microcents`. */
export const costExplanationResource = z
  .strictObject({
    event_id: z.string(),
    explanation: z.string().meta({ description: "Where the cost comes from, in words" }),
    cost_basis: z.enum(costBases),
    usage_source: z.enum(usageSources),
    service_tier: z.string().nullable().meta({ description: "As the provider named it" }),
    cost_microcents: z.int().meta({ description: "As it was booked with the event" }),
    adjustment_microcents: z.int(),
    total_microcents: z.int(),
    is_unpriced: z.boolean(),
    lines: z.array(lines),
    rate_cards: z.array(rateCard),
  })
  .meta({ id: "CostExplanation" });

const ofAgent = { description: "The agent's own calls, without a verification's shadow and judge calls" };

const eventFilterQuery = {
  agent_id: objectId.optional().meta(ofAgent),
  agent_key: callerId.optional().meta(ofAgent),
  session_id: callerId.optional(),
  customer_id: callerId.optional(),
  key_id: objectId.optional().meta({ description: "The id of an API key (`GET /api/keys`)" }),
  model: z.string().min(1).max(256).optional(),
  provider: z.string().min(1).max(256).optional(),
  status: z.enum(eventStatuses).optional(),
  config_version: z.string().min(1).max(4096).optional().meta({ description: "Compared exactly" }),
  from: isoTimeInput.optional(),
  to: isoTimeInput.optional().meta({ description: "ISO 8601, exclusive" }),
};

export const eventOperations = declareOperations({
  "events.cost": {
    method: "GET",
    path: "/api/events/:id/cost",
    summary: "Explanation of an event's cost: every line, its rate and the rate's source",
    params: idParams,
    output: costExplanationResource,
    ...readAccess,
  },
  "events.export": {
    method: "GET",
    path: "/api/events/export",
    summary: "All matching events as a file",
    query: z.strictObject({ ...eventFilterQuery, format: z.enum(["csv", "json"]).default("csv") }),
    produces: ["text/csv", "application/json"],
    ...readAccess,
  },
  "events.get": {
    method: "GET",
    path: "/api/events/:id",
    summary: "One event",
    params: idParams,
    output: eventResource,
    ...readAccess,
  },
  "events.list": {
    method: "GET",
    path: "/api/events",
    summary: "Events, newest first; following the cursor shows each exactly once",
    query: z.strictObject({
      ...eventFilterQuery,
      limit: pageLimit(500),
      cursor: sealedCursorInput.optional(),
    }),
    output: z.strictObject({
      events: z.array(eventResource),
      next_cursor: nextCursor,
      history_begins_at: historyBeginsAt,
    }),
    ...readAccess,
  },
});
