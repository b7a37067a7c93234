import { describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import fc from "fast-check";
import { simulationRuns } from "../../../../../test/support/full-size.ts";
import { engines } from "../../../../../test/support/labs/control-databases.ts";
import { START, someEvent, someWindow } from "../../../../../test/support/labs/random-traffic.ts";
import { adjust, readModelLab } from "../../../../../test/support/labs/read-model-lab.ts";
import { sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import type { Scope } from "../../ledger/scope.ts";
import {
  type BreakdownBucket,
  type BreakdownFilter,
  type CallDimension,
  callDimensions,
  type Interval,
} from "../breakdown.ts";
import { verifyReadModel } from "../deriving/verify-read-model.ts";
import type { Window } from "../window.ts";

const bench = readModelLab();
/** Without an interval, everything is in one bucket. */
const unitMs = { hour: HOUR_MS, day: DAY_MS, none: Number.POSITIVE_INFINITY };

interface Fact {
  readonly event: Event;
  readonly adjustment: number;
  readonly isUnpriced: boolean;
}

const isWithin = ({ from, to }: Window, { event }: Fact) => event.created_at >= from && event.created_at < to;

function sumsOf(facts: readonly Fact[]) {
  const sum = (of: (fact: Fact) => number) => facts.reduce((total, fact) => total + of(fact), 0);
  return {
    calls: facts.length,
    errors: facts.filter(({ event }) => ["error", "timeout", "interrupted"].includes(event.status)).length,
    input_tokens: sum(({ event }) => event.input_tokens),
    output_tokens: sum(({ event }) => event.output_tokens),
    cost_microcents: sum(({ event, adjustment }) => event.cost_microcents + adjustment),
    unpriced_calls: facts.filter(({ isUnpriced }) => isUnpriced).length,
  };
}

/** The buckets that have calls, as a map that equality can compare. */
function shown(buckets: readonly BreakdownBucket[]) {
  const calls = buckets.filter(bucket => bucket.calls !== 0 || bucket.cost_microcents !== 0);
  return Object.fromEntries(
    calls.map(({ at, isPrevious, ...sums }) => [`${isPrevious ? "previous" : "current"} ${at}`, sums]),
  );
}

function expectedBuckets(
  facts: readonly Fact[],
  { window, previous, interval }: { window: Window; previous: Window; interval: Interval },
) {
  const buckets = new Map<string, Fact[]>();
  for (const fact of facts) {
    const at = fact.event.created_at - (fact.event.created_at % unitMs[interval]);
    for (const [name, period] of [
      ["current", window],
      ["previous", previous],
    ] as const) {
      if (!isWithin(period, fact)) continue;
      const key = `${name} ${at}`;
      buckets.set(key, [...(buckets.get(key) ?? []), fact]);
    }
  }
  return Object.fromEntries([...buckets].map(([key, some]) => [key, sumsOf(some)]));
}

/** Input, output and adjustments. */
function expectedKinds(facts: readonly Fact[]): [number, number, number] {
  // 1000 tokens at 1.5 and 100 tokens at 6 microcents: the usage of every sample.
  const explained = facts.filter(({ event }) => event.cost_microcents === 2100).length;
  return [1500 * explained, 600 * explained, facts.reduce((sum, { adjustment }) => sum + adjustment, 0)];
}

/** The previous period of a group is one sum. */
function withOnePrevious(buckets: object, facts: readonly Fact[], previous: Window) {
  const before = facts.filter(fact => isWithin(previous, fact));
  const current = Object.entries(buckets).filter(([name]) => name.startsWith("current"));
  return Object.fromEntries([
    ...current,
    ...(before.length === 0 ? [] : [["previous 0", sumsOf(before)] as const]),
  ]);
}

const filters: readonly {
  readonly filter: Omit<BreakdownFilter, "agentId"> & { readonly agentKey?: string };
  readonly matches: (event: Event) => boolean;
}[] = [
  { filter: {}, matches: () => true },
  {
    filter: { agentKey: "writer" },
    matches: ({ agent_key, source }) => agent_key === "writer" && source !== "judge",
  },
  { filter: { model: "gpt-4o-mini" }, matches: ({ model }) => model === "gpt-4o-mini" },
  {
    filter: { agentKey: "writer", provider: "azure" },
    matches: ({ agent_key, provider, source }) =>
      agent_key === "writer" && provider === "azure" && source !== "judge",
  },
  { filter: { customerId: "c1" }, matches: ({ customer_id }) => customer_id === "c1" },
  { filter: { configVersion: "v1" }, matches: ({ config_version }) => config_version === "v1" },
  {
    filter: { agentKey: "writer", configVersion: "v1" },
    matches: ({ agent_key, config_version, source }) =>
      agent_key === "writer" && config_version === "v1" && source !== "judge",
  },
  { filter: { keyId: "k1" }, matches: ({ key_id }) => key_id === "k1" },
  { filter: { sessionId: "s1" }, matches: ({ session_id }) => session_id === "s1" },
  {
    filter: { status: "timeout", model: "claude" },
    matches: ({ status, model }) => status === "timeout" && model === "claude",
  },
  { filter: { source: "ingest" }, matches: ({ source }) => source === "ingest" },
  { filter: { customerId: "nobody" }, matches: () => false },
];

describe.each(engines)("a breakdown on %s", engine => {
  it("WEB-022 groups and the rest add up to the raw events, for any traffic, window, filter and page", async () => {
    const { database, ledger, reader, follower, model } = await bench(engine);
    let run = 0;
    const someSource = fc.constantFrom("gateway" as const, "ingest" as const, "judge" as const);
    /** null: the window ends now. */
    const someNowMs = fc.oneof(
      fc.constant(null),
      someWindow.map(({ to }) => to),
    );
    const question = fc.record({
      nowMs: someNowMs,
      groupBy: fc.constantFrom<CallDimension>(...callDimensions),
      interval: fc.constantFrom<Interval>("hour", "day", "none"),
      withKinds: fc.boolean(),
      limit: fc.constantFrom(1, 2, 10),
      offset: fc.constantFrom(0, 1),
      chosen: fc.constantFrom(...filters),
    });
    /** The only question that weeks are read for. */
    const customers = fc.record({
      groupBy: fc.constant<CallDimension>("customer"),
      interval: fc.constant<Interval>("none"),
      withKinds: fc.constant(false),
      nowMs: someNowMs,
      limit: fc.constant(10),
      offset: fc.constant(0),
      chosen: fc.constantFrom(...filters.slice(0, 1)),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(someEvent, someSource), { maxLength: 40 }),
        someWindow,
        fc.tuple(customers, ...Array.from({ length: 8 }, () => question)),
        fc.constantFrom(1, 11),
        async (specs, shortWindow, questions, stretch) => {
          run++;
          // Four days of traffic, or six weeks.
          const stretched = (atMs: number) => START + (atMs - START) * stretch;
          const window = { from: stretched(shortWindow.from), to: stretched(shortWindow.to) };
          const scope: Scope = { orgId: `a-${run}`, mode: "live" };
          const facts: Fact[] = [];
          for (const [index, [spec, source]] of specs.entries()) {
            const { org, name, cost, adjustments, created_at, ...rest } = spec;
            const [provider = "", modelName = ""] = name;
            const isUnpriced = spec.cost_basis === "unpriced";
            // Every other cost is what its rate card says, so that it has kinds.
            const isExplained = index % 2 === 0 && !isUnpriced;
            const { event, cards } = sampleSettlement(`${engine}-${run}-${index}`, {
              ...rest,
              created_at: stretched(created_at),
              source,
              org_id: `${org}-${run}`,
              provider,
              model: modelName,
              pair:
                source === "judge"
                  ? { request_id: "v", pair_id: "own", kind: "candidate", result: null }
                  : null,
              ...(isExplained ? {} : { cost_microcents: microcents(isUnpriced ? 0 : cost) }),
            });
            await ledger.append([{ event, cards }]);
            if (index === 3) await follower.catchUp();
            for (const { amount } of adjustments) await adjust(database, event, amount);
            if (event.org_id === scope.orgId && event.mode === scope.mode) {
              facts.push({
                event,
                adjustment: adjustments.reduce((sum, { amount }) => sum + amount, 0),
                isUnpriced: isUnpriced && adjustments.length === 0,
              });
            }
          }
          await follower.catchUp();
          const previous = { from: window.from - (window.to - window.from), to: window.from };
          for (const { chosen, nowMs, ...asked } of questions) {
            const matching = facts.filter(({ event }) => chosen.matches(event));
            await expectGroups(
              scope,
              { ...asked, nowMs: nowMs === null ? window.to : stretched(nowMs), window, previous },
              chosen.filter,
              matching,
            );
          }
        },
      ),
      { numRuns: simulationRuns(engine === "sqlite" ? 40 : 10) },
    );
    expect(await verifyReadModel(database, reader)).toEqual([]);

    async function expectGroups(
      scope: Scope,
      asked: {
        groupBy: CallDimension;
        interval: Interval;
        nowMs: number;
        withKinds: boolean;
        limit: number;
        offset: number;
        window: Window;
        previous: Window;
      },
      { agentKey, ...rest }: (typeof filters)[number]["filter"],
      facts: readonly Fact[],
    ): Promise<void> {
      const agentIds = await model.agentIds(scope, agentKey === undefined ? [] : [agentKey]);
      const filter = agentKey === undefined ? rest : { ...rest, agentId: agentIds.get(agentKey) ?? "nobody" };
      const { groups, total, groupCount } = await model.breakdown(scope, { ...asked, filter });
      const keys = await keysOf(scope, asked.groupBy, facts);
      const current = new Set(
        facts.filter(fact => isWithin(asked.window, fact)).map(fact => keys.get(fact.event)),
      );
      expect(groupCount).toBe(current.size);
      const count = Math.max(0, Math.min(asked.limit, current.size - asked.offset));
      expect(groups).toHaveLength(groups.length === 0 && facts.length === 0 ? 0 : count);
      const costs = groups.map(({ buckets }) =>
        buckets
          .filter(({ isPrevious }) => !isPrevious)
          .reduce((sum, { cost_microcents }) => sum + cost_microcents, 0),
      );
      expect(costs).toEqual(costs.toSorted((a, b) => b - a));
      const shownKeys = new Set<string>();
      for (const { key, detail, buckets, byKind } of groups) {
        const name = `${key} ${asked.groupBy === "model" ? detail : ""}`;
        shownKeys.add(name);
        const own = facts.filter(fact => keys.get(fact.event) === name);
        expect(shown(buckets)).toEqual(withOnePrevious(expectedBuckets(own, asked), own, asked.previous));
        const { input, output, adjustment } = byKind ?? {};
        const expected = expectedKinds(own.filter(fact => isWithin(asked.window, fact)));
        expect([input, output, adjustment]).toEqual(
          asked.withKinds ? expected : [undefined, undefined, undefined],
        );
      }
      expect(shownKeys.size).toBe(groups.length);
      expect(shown(total)).toEqual(expectedBuckets(facts, asked));

      const kinds = await model.costKinds(scope, { ...asked, filter });
      expect(shown(kinds.map(({ byKind: _, ...bucket }) => bucket))).toEqual(expectedBuckets(facts, asked));
      const inWindow = facts.filter(fact => isWithin(asked.window, fact));
      const ofKind = (kind: "adjustment" | "input" | "output") =>
        kinds.filter(({ isPrevious }) => !isPrevious).reduce((sum, { byKind }) => sum + byKind[kind], 0);
      expect([ofKind("input"), ofKind("output"), ofKind("adjustment")]).toEqual(expectedKinds(inWindow));
    }

    async function keysOf(
      scope: Scope,
      groupBy: CallDimension,
      facts: readonly Fact[],
    ): Promise<ReadonlyMap<Event, string>> {
      const ids = await model.agentIds(
        scope,
        facts.map(({ event }) => event.agent_key),
      );
      const keyOf = (event: Event): string | null => {
        switch (groupBy) {
          case "agent":
            return event.source === "judge" ? null : (ids.get(event.agent_key) ?? null);
          case "model":
            return event.model;
          case "provider":
            return event.provider;
          case "customer":
            return event.customer_id;
          case "config_version":
            return event.config_version;
          case "used_key":
            return event.key_id;
        }
      };
      return new Map(
        facts.map(({ event }) => [event, `${keyOf(event)} ${groupBy === "model" ? event.provider : ""}`]),
      );
    }
  });
});
