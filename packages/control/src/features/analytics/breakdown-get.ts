import { OTHER_KIND, shownCostKinds } from "@tollgate/core/contract/analytics";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { fail } from "@tollgate/core/errors";
import { type HistoryWindow, historyStart, historyWindow } from "@tollgate/core/limits/history-window";
import { addCalls, noCalls, type RunningSums } from "@tollgate/core/money/call-sums";
import { costKinds } from "@tollgate/core/money/cost-kinds";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { startOf } from "@tollgate/core/time/start-of-day";
import type {
  Breakdown,
  BreakdownBucket,
  BreakdownQuestion,
  CostKindBucket,
  CostsByKind,
} from "@tollgate/storage/read-model/breakdown";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { historyBeginsAt } from "../../kernel/history-begins-at.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { agentNames } from "../agents/agent-names.ts";
import { findAgent } from "../agents/find-agent.ts";

const longestMs = { hour: 14 * DAY_MS, day: 400 * DAY_MS, none: 400 * DAY_MS };
const MAX_SERIES = 25;
const unitsMs = { hour: HOUR_MS, day: DAY_MS, none: null };
/** Others have no sums by kind of cost. */
const groupsWithKinds: readonly Answer["group_by"][] = ["agent", "model", "provider"];

type Answer = OutputOf<Operations["analytics.breakdown"]>;
type Group = Answer["groups"][number];
type Point = Group["series"][number];

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
  const shape: Shape = { window, previous, unitMs: unitsMs[interval] };
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

/** What every series of an answer has in common. */
interface Shape {
  readonly window: HistoryWindow;
  readonly previous: HistoryWindow | null;
  /** null: no series. */
  readonly unitMs: number | null;
}

/** What the shown groups lack of the total. */
function othersOf({ groups, total }: Breakdown, shape: Shape): NonNullable<Answer["other"]> {
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
  groupBy: Exclude<Answer["group_by"], "cost_kind">,
  { groups }: Breakdown,
  shape: Shape,
): Promise<Group[]> {
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
  groupBy: Answer["group_by"],
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

function toTotal(buckets: readonly BreakdownBucket[], shape: Shape): Answer["total"] {
  const { previous } = shape;
  const before = buckets.filter(({ isPrevious }) => isPrevious);
  return {
    ...sumsAndSeries(buckets, shape),
    previous_series: previous === null ? null : toSeries(before, previous, shape.unitMs),
  };
}

function sumsAndSeries(buckets: readonly BreakdownBucket[], { window, previous, unitMs }: Shape) {
  const current = buckets.filter(({ isPrevious }) => !isPrevious);
  return {
    ...toSums(current),
    series: toSeries(current, window, unitMs),
    previous: previous === null ? null : toSums(buckets.filter(({ isPrevious }) => isPrevious)),
  };
}

function toSums(buckets: readonly BreakdownBucket[]) {
  const sums = noCalls();
  for (const bucket of buckets) addCalls(sums, bucket);
  return {
    call_count: sums.calls,
    error_count: sums.errors,
    input_tokens: sums.input_tokens,
    output_tokens: sums.output_tokens,
    cost_microcents: sums.cost_microcents,
    unpriced_calls: sums.unpriced_calls,
  };
}

function toSeries(
  buckets: readonly BreakdownBucket[],
  window: HistoryWindow,
  unitMs: number | null,
): Point[] {
  if (unitMs === null) return [];
  const sums = new Map<number, RunningSums>(timesOf(window, unitMs).map(at => [at, noCalls()]));
  for (const bucket of buckets) {
    const known = sums.get(bucket.at);
    if (known === undefined) throw new Error(`a sum of ${bucket.at} is outside its window`);
    addCalls(known, bucket);
  }
  return [...sums].map(([at, { calls, cost_microcents, unpriced_calls }]) => ({
    at: toIsoTime(at),
    call_count: calls,
    cost_microcents,
    unpriced_calls,
  }));
}

function timesOf({ from, to }: HistoryWindow, unitMs: number | null): number[] {
  if (unitMs === null) return [];
  const times: number[] = [];
  for (let at = startOf(from, unitMs); at < to && from < to; at += unitMs) times.push(at);
  return times;
}

/** Most expensive first. A call has several kinds of cost, so nothing but costs is known of a kind. */
function kindGroups(buckets: readonly CostKindBucket[], shape: Shape): Group[] {
  const amountOf = (kind: (typeof shownCostKinds)[number], bucket: CostKindBucket) =>
    kind === OTHER_KIND ? unexplained(bucket.cost_microcents, bucket.byKind) : bucket.byKind[kind];
  return shownCostKinds
    .map(kind => {
      const costs = buckets.map(bucket => ({
        at: bucket.at,
        isPrevious: bucket.isPrevious,
        amount: amountOf(kind, bucket),
      }));
      return { kind, costs };
    })
    .filter(({ costs }) => costs.some(({ amount }) => amount !== 0))
    .map(({ kind, costs }) => ({
      key: kind,
      name: null,
      provider: null,
      cost_kinds: null,
      ...kindSums(costs, shape),
    }))
    .toSorted((a, b) => b.cost_microcents - a.cost_microcents);
}

function unexplained(costMicrocents: number, byKind: CostsByKind): number {
  return costKinds.reduce((rest, kind) => rest - byKind[kind], costMicrocents);
}

interface KindCost {
  readonly at: number;
  readonly isPrevious: boolean;
  readonly amount: number;
}

const unknownCounts = {
  call_count: null,
  error_count: null,
  input_tokens: null,
  output_tokens: null,
  unpriced_calls: null,
};

function kindSums(costs: readonly KindCost[], { window, previous, unitMs }: Shape) {
  const sumOf = (isPrevious: boolean) =>
    costs.filter(cost => cost.isPrevious === isPrevious).reduce((sum, { amount }) => sum + amount, 0);
  const byTime = new Map(costs.filter(cost => !cost.isPrevious).map(({ at, amount }) => [at, amount]));
  return {
    ...unknownCounts,
    cost_microcents: sumOf(false),
    series: timesOf(window, unitMs).map(at => ({
      at: toIsoTime(at),
      call_count: null,
      // Nothing was spent where there is no bucket.
      cost_microcents: byTime.get(at) ?? 0,
      unpriced_calls: null,
    })),
    previous: previous === null ? null : { ...unknownCounts, cost_microcents: sumOf(true) },
  };
}

function sumOfKinds(
  groups: readonly Group[],
  { window, previous, unitMs }: Shape,
): NonNullable<Answer["other"]> {
  const sum = (of: (group: Group) => number) => groups.reduce((total, group) => total + of(group), 0);
  return {
    ...unknownCounts,
    cost_microcents: sum(({ cost_microcents }) => cost_microcents),
    series: timesOf(window, unitMs).map((at, index) => ({
      at: toIsoTime(at),
      call_count: null,
      cost_microcents: sum(({ series }) => series[index]?.cost_microcents ?? 0),
      unpriced_calls: null,
    })),
    previous:
      previous === null
        ? null
        : { ...unknownCounts, cost_microcents: sum(group => group.previous?.cost_microcents ?? 0) },
  };
}
