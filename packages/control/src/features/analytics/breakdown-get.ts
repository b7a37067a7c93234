import { OTHER_KIND } from "@tollgate/core/contract/analytics";
import { fail } from "@tollgate/core/errors";
import { historyStart, historyWindow } from "@tollgate/core/limits/history-window";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import type { Breakdown, BreakdownBucket, BreakdownQuestion } from "@tollgate/storage/read-model/breakdown";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { historyBeginsAt } from "../../kernel/history-begins-at.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { agentNames } from "../agents/agent-names.ts";
import { findAgent } from "../agents/find-agent.ts";
import {
  type BreakdownAnswer,
  type BreakdownGroup,
  type BreakdownShape,
  sumsAndSeries,
  toTotal,
} from "./breakdown-series.ts";
import { kindGroups, sumOfKinds, unexplained } from "./kind-groups.ts";

const longestMs = { hour: 14 * DAY_MS, day: 400 * DAY_MS, none: 400 * DAY_MS };
const MAX_SERIES = 25;
const unitsMs = { hour: HOUR_MS, day: DAY_MS, none: null };
/** Sums by kind of cost are kept for these groupings only. */
const groupsWithKinds: readonly BreakdownAnswer["group_by"][] = ["agent", "model", "provider"];

export const breakdownGet: Handler<"analytics.breakdown"> = async (context, input) => {
  const { tier } = context.organization;
  const nowMs = context.now();
  const window = historyWindow(input, tier, nowMs);
  const { interval } = input;
  const lengthMs = window.to - window.from;
  if (lengthMs > longestMs[interval]) {
    throw fail(
      "invalid_request",
      interval === "none"
        ? `the period has more than ${longestMs.none / DAY_MS} days`
        : `interval: ${interval}s of at most ${longestMs[interval] / DAY_MS} days; choose another interval or a shorter period`,
    );
  }
  if (input.agent_id !== undefined) await findAgent(context, input.agent_id);
  const before = { from: window.from - lengthMs, to: window.from };
  const isComparable = input.compare !== undefined && before.from >= historyStart(tier, nowMs);
  const previous = isComparable ? before : null;
  const question: BreakdownQuestion = {
    window,
    ...(previous === null ? {} : { previous }),
    interval,
    filter: filterOf(input),
    nowMs,
  };
  const shape: BreakdownShape = { window, previous, unitMs: unitsMs[interval] };
  const common = {
    group_by: input.group_by,
    interval,
    period: toPeriod(window),
    previous_period: previous === null ? null : toPeriod(previous),
    history_begins_at: await historyBeginsAt(context),
  };
  const { group_by: groupBy, offset } = input;
  const limit = interval === "none" ? input.limit : Math.min(input.limit, MAX_SERIES);
  if (groupBy === "cost_kind") {
    const buckets = await context.readModel.costKinds(context.scope, question);
    const kinds = kindGroups(buckets, shape);
    const shown = kinds.slice(offset, offset + limit);
    const hidden = kinds.filter(group => !shown.includes(group));
    const isMore = offset + shown.length < kinds.length;
    return {
      ...common,
      total: toTotal(buckets, shape),
      groups: shown,
      other: hidden.length === 0 ? null : sumOfKinds(hidden, shape),
      group_count: kinds.length,
      next_offset: isMore ? offset + shown.length : null,
    };
  }
  const found = await context.readModel.breakdown(context.scope, {
    ...question,
    groupBy: groupBy === "key" ? "used_key" : groupBy,
    limit,
    offset,
    withKinds: input.include === "cost_kinds" && groupsWithKinds.includes(groupBy),
  });
  const isMore = offset + found.groups.length < found.groupCount;
  return {
    ...common,
    total: toTotal(found.total, shape),
    groups: await toGroups(context, groupBy, found, shape),
    other: found.groups.length < found.groupCount ? othersOf(found, shape) : null,
    group_count: found.groupCount,
    next_offset: isMore && found.groups.length > 0 ? offset + found.groups.length : null,
  };
};

function filterOf(input: Parameters<typeof breakdownGet>[1]): BreakdownQuestion["filter"] {
  const { agent_id, customer_id, session_id, key_id, config_version, model, provider, status, source } =
    input;
  return {
    ...(agent_id === undefined ? {} : { agentId: agent_id }),
    ...(customer_id === undefined ? {} : { customerId: customer_id }),
    ...(session_id === undefined ? {} : { sessionId: session_id }),
    ...(key_id === undefined ? {} : { keyId: key_id }),
    ...(config_version === undefined ? {} : { configVersion: config_version }),
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(status === undefined ? {} : { status }),
    ...(source === undefined ? {} : { source }),
  };
}

/** The total without the groups that are shown. */
function othersOf(
  { groups, total }: Breakdown,
  shape: BreakdownShape,
): NonNullable<BreakdownAnswer["other"]> {
  const shown = groups.flatMap(({ buckets }) => buckets.map(negative));
  return sumsAndSeries([...total, ...shown], shape);
}

function negative(bucket: BreakdownBucket): BreakdownBucket {
  return {
    at: bucket.at,
    isPrevious: bucket.isPrevious,
    calls: -bucket.calls,
    errors: -bucket.errors,
    input_tokens: -bucket.input_tokens,
    output_tokens: -bucket.output_tokens,
    cost_microcents: -bucket.cost_microcents,
    unpriced_calls: -bucket.unpriced_calls,
  };
}

async function toGroups(
  context: Context,
  groupBy: Exclude<BreakdownAnswer["group_by"], "cost_kind">,
  { groups }: Breakdown,
  shape: BreakdownShape,
): Promise<BreakdownGroup[]> {
  const keys = groups.flatMap(({ key }) => (key === null ? [] : [key]));
  const names = await namesOf(context, groupBy, keys);
  return groups.map(({ key, detail, buckets, byKind }) => {
    const sums = sumsAndSeries(buckets, shape);
    return {
      key,
      name: key === null ? null : (names.get(key) ?? null),
      provider: groupBy === "model" ? detail : null,
      ...sums,
      cost_kinds: byKind && { ...byKind, [OTHER_KIND]: unexplained(sums.cost_microcents, byKind) },
    };
  });
}

async function namesOf(
  context: Context,
  groupBy: BreakdownAnswer["group_by"],
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (groupBy === "agent") {
    return await agentNames(
      context,
      ids.map(agentId => ({ agentId })),
    );
  }
  if (groupBy !== "key" || ids.length === 0) return new Map();
  const rows = await context.db
    .selectFrom("api_keys")
    .select(["id", "name"])
    .where("org_id", "=", context.organization.id)
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
