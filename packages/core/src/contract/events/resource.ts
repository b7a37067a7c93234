import { z } from "zod";
import { costBases, eventSources, eventStatuses, modes, usageSources } from "../../event.ts";
import { usageKinds } from "../../money/usage.ts";
import { isoTime } from "../fields/iso-time.ts";

const usage = z.partialRecord(z.enum(usageKinds), z.int());

/** One tracked call: the ledger's own record, field by field. */
export const eventResource = z
  .strictObject({
    id: z.string(),
    org_id: z.string(),
    mode: z.enum(modes),
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
      .meta({ description: "What a later rerating added to the cost; totals contain it" }),
    cost_basis: z
      .enum(costBases)
      .meta({ description: "Of `cost_microcents`: `unpriced` is no cost of 0, but an unknown one" }),
    is_unpriced: z.boolean().meta({
      description: "Nobody knows its cost. One that was unpriced and has been rerated since is false",
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
  })
  .meta({ id: "Event" });
