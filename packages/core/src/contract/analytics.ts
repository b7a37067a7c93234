import { z } from "zod";
import { eventSources, eventStatuses } from "../event.ts";
import { costKinds } from "../money/cost-kinds.ts";
import { agentResource } from "./agents.ts";
import { costSums, unpricedCalls } from "./fields/cost-sums.ts";
import { historyBeginsAt } from "./fields/history.ts";
import { isoTime } from "./fields/iso-time.ts";
import { callerId, objectId } from "./fields/object-id.ts";
import { pageLimit } from "./fields/paging.ts";
import { periodResource, windowQuery } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";
import { optimizationSummary } from "./optimizations.ts";
import { failedCount, netValue, otherValueCents, revenueCents, roiMultiple } from "./outcomes.ts";
import { refusedCalls } from "./refusals.ts";

const measured = {
  ...costSums,
  avg_latency_ms: z.int(),
};

const cents = z.number().meta({ description: "Cents, for display: microcents ÷ 100,000" });

/** What calls, or their costs, can be grouped by. */
const breakdownGroups = [
  "agent",
  "model",
  "provider",
  "customer",
  "key",
  "config_version",
  "cost_kind",
] as const;

const breakdownIntervals = ["hour", "day", "none"] as const;

const ofCalls = "; null for a kind of cost, because a call has several";

const groupSums = {
  call_count: z
    .int()
    .nullable()
    .meta({ description: `Calls${ofCalls}` }),
  error_count: z
    .int()
    .nullable()
    .meta({ description: `Failed calls${ofCalls}` }),
  input_tokens: z
    .int()
    .nullable()
    .meta({ description: `Tokens${ofCalls}` }),
  output_tokens: z
    .int()
    .nullable()
    .meta({ description: `Tokens${ofCalls}` }),
  cost_microcents: z.int(),
  unpriced_calls: z
    .int()
    .nullable()
    .meta({
      description: `Calls whose cost is unknown: counted as calls, but not included in any cost here${ofCalls}`,
    }),
};

/** The part that no kind explains is `other`. */
export const OTHER_KIND = "other";
export const shownCostKinds = [...costKinds, OTHER_KIND] as const;

const costsByKind = Object.fromEntries(shownCostKinds.map(kind => [kind, z.int()])) as Record<
  (typeof shownCostKinds)[number],
  z.ZodInt
>;

const point = z.strictObject({
  at: isoTime.meta({ description: "Start of the UTC hour or day" }),
  call_count: groupSums.call_count,
  cost_microcents: z.int(),
  unpriced_calls: groupSums.unpriced_calls,
});

const series = z.array(point).meta({
  description:
    "Every hour or day that the period touches, oldest first; zeros where there were no calls. Empty without an interval",
});

const previousSums = z.strictObject(groupSums).nullable().meta({
  description:
    "The preceding period of the same length; null: not requested, or older than the tier's history",
});

const percentiles = z
  .strictObject({
    p50_ms: z.number().nullable(),
    p95_ms: z.number().nullable(),
    p99_ms: z.number().nullable(),
  })
  .meta({
    description:
      "Latency percentiles by nearest rank; null without calls. Exact for up to 1,000 calls; above that, exact to a bucket whose end is 1.55 times its start",
  });

const MAX_STEP_MINUTES = 366 * 24 * 60;

export const analyticsOperations = declareOperations({
  "analytics.get": {
    method: "GET",
    path: "/api/analytics",
    summary: "Calls, cost, latency and errors of the organization or of one agent",
    query: z.strictObject({ ...windowQuery, agent_id: objectId.optional() }),
    output: z.strictObject({
      summary: z.strictObject({
        total_calls: z.int(),
        total_cost_microcents: z.int(),
        unpriced_calls: unpricedCalls,
        avg_latency_ms: z.int(),
        error_rate: z.number().meta({ description: "A decimal fraction: 0.25 is one call of four" }),
        period: periodResource,
      }),
      by_model: z.array(z.strictObject({ model: z.string(), ...measured })),
      trend: z.array(z.strictObject({ date: z.string(), ...measured })),
      percentiles,
      refused: refusedCalls.meta({
        description:
          "Calls that the gateway refused; no other number includes them. Counted by whole UTC hours, for the last 90 days",
      }),
      history_begins_at: historyBeginsAt,
    }),
    ...readAccess,
  },
  "analytics.history": {
    method: "GET",
    path: "/api/analytics/history",
    summary: "Calls, cost and latency over time, of the organization or of one agent",
    query: z.strictObject({
      ...windowQuery,
      agent_id: objectId.optional(),
      step_minutes: z
        .int()
        .min(1)
        .max(MAX_STEP_MINUTES)
        .default(24 * 60)
        .meta({ description: "The length of a part; a period has at most 100" }),
    }),
    output: z.strictObject({
      period: periodResource,
      parts: z
        .array(
          z.strictObject({
            period: periodResource,
            ...costSums,
            error_count: z.int(),
            percentiles,
            by_model: z.array(z.strictObject({ model: z.string(), ...costSums })),
          }),
        )
        .meta({
          description:
            "Oldest first, cut at multiples of the step since 1970 (UTC); the first and the last may be shorter",
        }),
      history_begins_at: historyBeginsAt,
    }),
    ...readAccess,
  },
  "analytics.breakdown": {
    method: "GET",
    path: "/api/analytics/breakdown",
    summary:
      "Calls and cost by agent, model, provider, customer, key, config version or kind of cost, by hour or day",
    query: z.strictObject({
      ...windowQuery,
      group_by: z.enum(breakdownGroups),
      interval: z
        .enum(breakdownIntervals)
        .default("day")
        .meta({ description: "Hours for at most 14 days, otherwise 400; none: sums without a series" }),
      compare: z
        .enum(["previous"])
        .optional()
        .meta({ description: "Adds the sums of the preceding period of the same length" }),
      include: z
        .enum(["cost_kinds"])
        .optional()
        .meta({ description: "Adds how the cost of each agent, model or provider is made up" }),
      limit: pageLimit(200, 10, "Groups shown one by one; with an interval, at most 25"),
      offset: z
        .int()
        .min(0)
        .max(100_000)
        .default(0)
        .meta({ description: "Number of groups to skip, from the most expensive" }),
      agent_id: objectId.optional(),
      customer_id: callerId.optional(),
      key_id: objectId.optional().meta({ description: "The id of an API key" }),
      session_id: callerId.optional(),
      config_version: z.string().min(1).max(4096).optional().meta({ description: "Compared exactly" }),
      model: z.string().min(1).max(256).optional(),
      provider: z.string().min(1).max(256).optional(),
      status: z.enum(eventStatuses).optional(),
      source: z.enum(eventSources).optional(),
    }),
    output: z.strictObject({
      group_by: z.enum(breakdownGroups),
      interval: z.enum(breakdownIntervals),
      period: periodResource,
      previous_period: periodResource.nullable(),
      history_begins_at: historyBeginsAt,
      total: z.strictObject({
        ...groupSums,
        series,
        previous: previousSums,
        previous_series: series.nullable(),
      }),
      groups: z
        .array(
          z.strictObject({
            key: z.string().nullable().meta({
              description:
                "What to filter by: an agent's or a key's id, a model, provider, customer or config version, or the kind of cost. null: calls without one; for agents, calls of verifications",
            }),
            name: z.string().nullable().meta({ description: "The name of the agent or key, if it has one" }),
            provider: z.string().nullable().meta({ description: "Only for models" }),
            ...groupSums,
            cost_kinds: z
              .strictObject(costsByKind)
              .nullable()
              .meta({ description: "Microcents; null: not requested, or other groups" }),
            series,
            previous: previousSums,
          }),
        )
        .meta({ description: "Most expensive first. Together with `other` they add up to `total` exactly" }),
      other: z
        .strictObject({ ...groupSums, series, previous: previousSums })
        .nullable()
        .meta({ description: "All groups that are not shown, together; null: all are shown" }),
      group_count: z.int().meta({ description: "Groups with calls in the period, shown or not" }),
      next_offset: z
        .int()
        .nullable()
        .meta({ description: "`offset` of the next groups; null: there are no more" }),
    }),
    ...readAccess,
  },
  "dashboard.get": {
    method: "GET",
    path: "/api/dashboard",
    summary: "Overview of a period",
    query: z.strictObject({ days: windowQuery.days, period_days: windowQuery.period_days }),
    output: z.strictObject({
      organization_id: z.string(),
      period_days: z.int(),
      period: periodResource,
      history_begins_at: historyBeginsAt,
      agents: z.strictObject({
        total: z.int(),
        active: z.int(),
        idle: z.int(),
        error: z.int(),
        archived: z.int(),
      }),
      agents_list: z
        .array(
          z.strictObject({
            ...agentResource.shape,
            call_count: z.int(),
            error_count: z.int(),
            cost_microcents: z.int(),
            cost_cents: cents,
            unpriced_calls: unpricedCalls,
          }),
        )
        .meta({
          description: "The most expensive agents, at most 200 of `agents.total`; totals cover all agents",
        }),
      cost: z.strictObject({
        total_calls: z.int(),
        total_cost_microcents: z.int(),
        total_cost_cents: cents,
        unpriced_calls: unpricedCalls,
        input_tokens: z.int(),
        output_tokens: z.int(),
        error_calls: z.int(),
        error_rate: z.number(),
        avg_latency_ms: z.int(),
      }),
      top_models: z.array(z.strictObject({ provider: z.string(), model: z.string(), ...costSums })),
      budgets: z.strictObject({ total: z.int(), paused: z.int(), warning: z.int(), exceeded: z.int() }),
      alerts: z.strictObject({ triggered: z.int(), unread: z.int(), critical: z.int() }),
      attribution: z.strictObject({
        total_outcomes: z.int(),
        revenue_outcomes: z.int().meta({ description: "Outcomes that the revenue is the sum of" }),
        failed_outcomes: failedCount,
        total_revenue_cents: revenueCents,
        other_value_cents: otherValueCents,
        net_value_cents: netValue,
        roi_multiplier: roiMultiple,
      }),
      optimization: optimizationSummary,
      trend: z.array(z.strictObject({ date: z.string(), ...costSums })),
    }),
    ...readAccess,
  },
});
