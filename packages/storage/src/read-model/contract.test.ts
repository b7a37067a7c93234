import { describe, expect, it } from "bun:test";
import { agentStatus, agentStatuses } from "@tollgate/core/agents/status";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import fc from "fast-check";
import { simulationRuns } from "../../../../test/support/full-size.ts";
import { engines } from "../../../../test/support/labs/control-databases.ts";
import { someEvent, someWindow } from "../../../../test/support/labs/random-traffic.ts";
import { adjust, allPages, readModelLab } from "../../../../test/support/labs/read-model-lab.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { bucketOf, histogramColumns, percentileMs } from "../database/latency-histogram.ts";
import type { Scope } from "../ledger/scope.ts";
import { verifyReadModel } from "./deriving/verify-read-model.ts";
import type { AgentRecord, AgentTotals } from "./queries/agent-queries.ts";
import type { EventFilter, ListedEvent } from "./queries/event-queries.ts";
import type { SubjectTotals } from "./queries/subject-queries.ts";
import { EXACT_PERCENTILES_UP_TO } from "./reading/read-usage.ts";
import type { Window } from "./window.ts";

const bench = readModelLab();
/** Later than all calls. */
const START_OF_2030 = Date.UTC(2030, 0, 1);
const isError = ({ status }: Event) => ["error", "timeout", "interrupted"].includes(status);

interface Fact {
  readonly event: Event;
  readonly cost: number;
  readonly isUnpriced: boolean;
}

function totalsOf(facts: readonly Fact[]) {
  const sum = (of: (fact: Fact) => number) => facts.reduce((total, fact) => total + of(fact), 0);
  return {
    calls: facts.length,
    errors: facts.filter(({ event }) => isError(event)).length,
    input_tokens: sum(({ event }) => event.input_tokens),
    output_tokens: sum(({ event }) => event.output_tokens),
    cost_microcents: sum(({ cost }) => cost),
    unpriced_calls: facts.filter(({ isUnpriced }) => isUnpriced).length,
  };
}

const withLatency = (facts: readonly Fact[]) => ({
  ...totalsOf(facts),
  latency_sum_ms: facts.reduce((total, { event }) => total + event.latency_ms, 0),
});

function daysOf({ from, to }: Window): number[] {
  const days = [];
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; from < to && day < to; day += DAY_MS) days.push(day);
  return days;
}

function groupBy<Key>(facts: readonly Fact[], keyOf: (event: Event) => Key): Map<Key, Fact[]> {
  const groups = new Map<Key, Fact[]>();
  for (const fact of facts) {
    const key = keyOf(fact.event);
    groups.set(key, [...(groups.get(key) ?? []), fact]);
  }
  return groups;
}

describe.each(engines)("the read model on %s", engine => {
  it("WEB-008 MON-014 MON-021 REL-005 answers every query consistently with the raw events and adjustments, for any traffic", async () => {
    const { database, ledger, reader, follower, model } = await bench(engine);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(someEvent, { maxLength: 40 }), someWindow, async (specs, window) => {
        run++;
        const facts: Fact[] = [];
        const late: (() => Promise<void>)[] = [];
        for (const [index, spec] of specs.entries()) {
          const { org, name, cost: stated, adjustments, ...rest } = spec;
          const cost = spec.cost_basis === "unpriced" ? 0 : stated;
          const [provider = "", modelName = ""] = name;
          const { event, cards } = sampleSettlement(`${engine}-${run}-${index}`, {
            ...rest,
            org_id: `${org}-${run}`,
            provider,
            model: modelName,
            cost_microcents: microcents(cost),
          });
          facts.push({
            event,
            cost: adjustments.reduce((sum, { amount }) => sum + amount, cost),
            isUnpriced: spec.cost_basis === "unpriced" && adjustments.length === 0,
          });
          for (const { amount, early } of adjustments) {
            if (early) await adjust(database, event, amount);
            else late.push(() => adjust(database, event, amount));
          }
          if (index === 3) await follower.catchUp();
          await ledger.append([{ event, cards }]);
        }
        await follower.catchUp();
        for (const adjustLater of late) await adjustLater();
        await follower.catchUp();
        for (const orgId of [`a-${run}`, `b-${run}`]) {
          for (const mode of ["live", "test"] as const) {
            const ours = facts.filter(({ event }) => event.org_id === orgId && event.mode === mode);
            await expectEqual({ orgId, mode }, ours, window);
          }
        }
      }),
      { numRuns: simulationRuns(engine === "sqlite" ? 40 : 10) },
    );
    expect(await verifyReadModel(database, reader)).toEqual([]);
    expect(await model.lag()).toBe(0);

    async function expectEqual(scope: Scope, facts: readonly Fact[], window: Window): Promise<void> {
      const inside = facts.filter(
        ({ event }) => event.created_at >= window.from && event.created_at < window.to,
      );
      await expectUsage(scope, inside, window);
      const { rows: agents } = await model.agentPage(scope, window.to, {}, 1000);
      const ofAgents = groupBy(facts, event => event.agent_key);
      expect(agents.map(({ agent_key }) => agent_key).toSorted()).toEqual([...ofAgents.keys()].toSorted());
      for (const agent of agents) {
        const calls = ofAgents.get(agent.agent_key) ?? [];
        const recent = calls.filter(
          ({ event }) => event.created_at > window.to - HOUR_MS && event.created_at <= window.to,
        );
        expect(agent).toMatchObject({
          last_call_at: Math.max(...calls.map(({ event }) => event.created_at)),
          recent_calls: recent.length,
          recent_errors: recent.filter(({ event }) => isError(event)).length,
        });
        expect(await model.agent(scope, agent.id, window.to)).toEqual(agent);
        const ofAgent = inside.filter(({ event }) => event.agent_key === agent.agent_key);
        await expectUsage(scope, ofAgent, window, agent.id);
      }
      const byAgent = groupBy(inside, event => event.agent_key);
      const { agents: usageByAgent, verifications } = await model.usageByAgent(scope, window);
      expect(usageByAgent).toHaveLength(byAgent.size);
      expect(verifications).toEqual(withLatency([]));
      for (const { agent_id: _, agent_key, ...totals } of usageByAgent) {
        expect(totals).toEqual(withLatency(byAgent.get(agent_key) ?? []));
      }
      await expectFleet(scope, agents, window, usageByAgent);
      await expectSeries(scope, facts, window);
      await expectSubjects(scope, facts, window);
      for (const visibleFrom of [0, window.from]) await expectKeyUsage(scope, facts, visibleFrom);
      await expectEvents(scope, facts, window);
    }

    /** The database's filters, counts and sort order must match the rows themselves. */
    async function expectFleet(
      scope: Scope,
      agents: readonly AgentRecord[],
      window: Window,
      usage: readonly AgentTotals[],
    ): Promise<void> {
      const statusOf = (agent: AgentRecord) =>
        agentStatus(
          {
            isArchived: false,
            lastCallAt: agent.last_call_at,
            recentCalls: agent.recent_calls,
            recentErrors: agent.recent_errors,
          },
          window.to,
        );
      const byStatus = await model.fleetCounts(scope, window.to);
      for (const status of agentStatuses) {
        const expected = agents.filter(agent => statusOf(agent) === status);
        expect(byStatus[status]).toBe(expected.length);
        expect(await model.countAgents(scope, window.to, { status })).toBe(expected.length);
        const walked: AgentRecord[] = [];
        let after: string | null | undefined;
        while (after !== null) {
          const page = await model.agentPage(scope, window.to, { status }, 2, after);
          walked.push(...page.rows);
          after = page.next;
        }
        expect(walked).toEqual(expected);
      }
      const byCost = await model.agentsByCost(scope, window, { limit: agents.length + 1 });
      expect(byCost.filter(({ calls }) => calls > 0)).toEqual([...usage]);
      expect(byCost.map(({ agent_id }) => agent_id).toSorted()).toEqual(
        agents.map(({ id }) => id).toSorted(),
      );
      expect(await model.agentsByCost(scope, window, { limit: 1, offset: 1 })).toEqual(byCost.slice(1, 2));
      expect(await model.spendingAgents(scope, window)).toBe(
        usage.filter(({ cost_microcents }) => cost_microcents > 0).length,
      );
    }

    async function expectUsage(scope: Scope, facts: readonly Fact[], window: Window, agentId?: string) {
      const usage = await model.usage(scope, window, agentId);
      expect(usage.totals).toEqual(withLatency(facts));
      expect(await model.unpricedCalls(scope, window, agentId === undefined ? {} : { agentId })).toBe(
        usage.totals.unpriced_calls,
      );
      const byModel = groupBy(facts, event => `${event.provider} ${event.model}`);
      expect(usage.byModel).toHaveLength(byModel.size);
      for (const { provider, model: name, ...totals } of usage.byModel) {
        expect(totals).toEqual(withLatency(byModel.get(`${provider} ${name}`) ?? []));
      }
      const byDay = groupBy(facts, event => Math.floor(event.created_at / DAY_MS) * DAY_MS);
      expect(usage.byDay).toEqual(daysOf(window).map(day => ({ day, ...withLatency(byDay.get(day) ?? []) })));
      const counts = histogramColumns.map(() => 0);
      for (const { event } of facts) {
        counts[bucketOf(event.latency_ms)] = (counts[bucketOf(event.latency_ms)] ?? 0) + 1;
      }
      const sorted = facts.map(({ event }) => event.latency_ms).toSorted((a, b) => a - b);
      const isExact = facts.length <= EXACT_PERCENTILES_UP_TO;
      const percentile = (p: number) =>
        isExact ? (sorted[Math.ceil(p * sorted.length - 1e-9) - 1] ?? null) : percentileMs(counts, p);
      expect(usage.latency).toEqual({
        p50_ms: percentile(0.5),
        p95_ms: percentile(0.95),
        p99_ms: percentile(0.99),
      });
    }

    async function expectSeries(scope: Scope, facts: readonly Fact[], window: Window): Promise<void> {
      const first = Math.min(...facts.map(({ event }) => event.created_at));
      expect(await model.firstCallAt(scope)).toBe(facts.length === 0 ? null : first);
      const active = await model.activeScopes(window.from);
      expect(active.some(one => one.orgId === scope.orgId && one.mode === scope.mode)).toBe(
        facts.some(({ event }) => event.created_at >= window.from),
      );
      for (const [unit, unitMs] of [
        ["hour", HOUR_MS],
        ["day", DAY_MS],
      ] as const) {
        const startOf = ({ created_at }: Event) => Math.floor(created_at / unitMs) * unitMs;
        const begun = facts.filter(
          ({ event }) => startOf(event) >= window.from && startOf(event) < window.to,
        );
        const bucketOfFacts = (at: number, agent_id: string | null, some: readonly Fact[]) => {
          const { calls, errors, cost_microcents, unpriced_calls, latency_sum_ms } = withLatency(some);
          return { agent_id, at, calls, errors, cost_microcents, unpriced_calls, latency_sum_ms };
        };
        const together = [...groupBy(begun, startOf)].toSorted(([a], [b]) => a - b);
        const expected = together.map(([at, some]) => bucketOfFacts(at, null, some));
        expect(await model.usageSeries(scope, unit, window, "organization")).toEqual(expected);
        const apart = await model.usageSeries(scope, unit, window, "agents");
        for (const { id, agent_key } of (await model.agentPage(scope, window.to, {}, 1000)).rows) {
          const own = together.flatMap(([at, some]) => {
            const ofAgent = some.filter(({ event }) => event.agent_key === agent_key);
            return ofAgent.length === 0 ? [] : [bucketOfFacts(at, id, ofAgent)];
          });
          expect(apart.filter(({ agent_id }) => agent_id === id)).toEqual(own);
          if (unit === "hour") await expectLatencies(begun, agent_key, id);
        }
        expect(apart.reduce((sum, { calls }) => sum + calls, 0)).toBe(begun.length);
        if (unit === "hour") await expectLatencies(begun);
      }

      async function expectLatencies(begun: readonly Fact[], agentKey?: string, agentId?: string) {
        const ours = begun.filter(({ event }) => agentKey === undefined || event.agent_key === agentKey);
        const hours = [...groupBy(ours, event => Math.floor(event.created_at / HOUR_MS) * HOUR_MS)];
        const expected = hours
          .toSorted(([a], [b]) => a - b)
          .map(([at, some]) => {
            const counts = histogramColumns.map(
              (_, bucket) => some.filter(({ event }) => bucketOf(event.latency_ms) === bucket).length,
            );
            return { at, calls: some.length, p99_ms: percentileMs(counts, 0.99) ?? Number.NaN };
          });
        expect(await model.latencyHours(scope, window, agentId)).toEqual(expected);
      }
    }

    async function expectSubjects(scope: Scope, facts: readonly Fact[], window: Window): Promise<void> {
      const kinds = [
        ["session_id", model.sessions, model.session],
        ["customer_id", model.customers, model.customer],
        ["config_version", model.configVersions, null],
      ] as const;
      for (const [column, list, one] of kinds) {
        const groups = groupBy(facts, event => event[column]);
        groups.delete(null);
        const expected: SubjectTotals[] = [...groups]
          .map(([key, calls]) => ({
            key: key ?? "",
            ...totalsOf(calls),
            first_at: Math.min(...calls.map(({ event }) => event.created_at)),
            last_at: Math.max(...calls.map(({ event }) => event.created_at)),
          }))
          .filter(({ first_at, last_at }) => last_at >= window.from && first_at < window.to);
        const rows = await allPages(after => list(scope, window, 1, after));
        const byKey = (a: SubjectTotals, b: SubjectTotals) => (a.key < b.key ? -1 : 1);
        expect(rows.toSorted(byKey)).toEqual(expected.toSorted(byKey));
        expect(rows.map(row => row.last_at)).toEqual(rows.map(row => row.last_at).toSorted((a, b) => b - a));
        for (const row of rows) if (one !== null) expect(await one(scope, row.key)).toEqual(row);
      }
      const ofCustomer = facts.filter(({ event }) => event.customer_id === "c1");
      expect(await model.customerDays(scope, "c1", window)).toEqual(
        daysOf(window).map(day => ({
          day,
          ...totalsOf(
            ofCustomer.filter(
              ({ event: { created_at: at } }) =>
                at >= Math.max(day, window.from) && at < Math.min(day + DAY_MS, window.to),
            ),
          ),
        })),
      );
    }

    async function expectKeyUsage(scope: Scope, facts: readonly Fact[], visibleFrom: number): Promise<void> {
      const expected = ["k1", "k2", "unused"].flatMap(keyId => {
        const calls = facts.filter(({ event }) => event.key_id === keyId);
        const visible = calls.filter(({ event }) => event.created_at >= visibleFrom);
        const last_at = Math.max(...calls.map(({ event }) => event.created_at));
        return calls.length === 0 ? [] : [[keyId, { ...totalsOf(visible), last_at }] as const];
      });
      const window = { from: visibleFrom, to: START_OF_2030 };
      const unpricedWhere = (matches: (event: Event) => boolean) =>
        facts.filter(
          ({ event, isUnpriced }) => isUnpriced && event.created_at >= visibleFrom && matches(event),
        ).length;
      expect(await model.unpricedCalls(scope, window, { keyId: "k1" })).toBe(
        unpricedWhere(({ key_id }) => key_id === "k1"),
      );
      expect(await model.unpricedCalls(scope, window, { customerId: "c1" })).toBe(
        unpricedWhere(({ customer_id }) => customer_id === "c1"),
      );
      for (const unit of ["hour", "day"] as const) {
        const unitMs = unit === "hour" ? HOUR_MS : DAY_MS;
        const startOf = ({ created_at }: Event) => created_at - (created_at % unitMs);
        const sums = (matches: (event: Event) => boolean) =>
          [
            ...groupBy(
              facts.filter(({ event }) => matches(event) && startOf(event) >= visibleFrom),
              startOf,
            ),
          ]
            .toSorted(([a], [b]) => a - b)
            .map(([at, some]) => ({ at, cost_microcents: totalsOf(some).cost_microcents }));
        expect(await model.costSeries(scope, unit, window, { keyId: "k1" })).toEqual(
          sums(({ key_id }) => key_id === "k1"),
        );
        expect(await model.costSeries(scope, unit, window, { customerId: "c1" })).toEqual(
          sums(({ customer_id }) => customer_id === "c1"),
        );
      }
      expect(await model.costSeries(scope, "day", window, { customerId: "nobody" })).toEqual([]);
      const usage = await model.keyUsage(scope, ["k1", "k2", "unused"], visibleFrom);
      expect(usage).toEqual(new Map(expected));
    }

    async function expectEvents(scope: Scope, facts: readonly Fact[], window: Window): Promise<void> {
      const filters: [EventFilter, (event: Event) => boolean][] = [
        [{}, () => true],
        [window, ({ created_at }) => created_at >= window.from && created_at < window.to],
        [{ agentKey: "writer" }, ({ agent_key }) => agent_key === "writer"],
        [{ sessionId: "s1", status: "error" }, e => e.session_id === "s1" && e.status === "error"],
        [
          { customerId: "c1", model: "gpt-4o-mini" },
          e => e.customer_id === "c1" && e.model === "gpt-4o-mini",
        ],
        [{ keyId: "k1" }, ({ key_id }) => key_id === "k1"],
        [{ keyId: "k2", status: "error" }, e => e.key_id === "k2" && e.status === "error"],
        [{ keyId: "k1", model: "gpt-4o-mini" }, e => e.key_id === "k1" && e.model === "gpt-4o-mini"],
        [{ configVersion: "v1" }, ({ config_version }) => config_version === "v1"],
        [{ model: "gpt-4o-mini" }, e => e.model === "gpt-4o-mini"],
        [{ provider: "openai" }, e => e.provider === "openai"],
        [{ provider: "anthropic", agentKey: "a1" }, e => e.provider === "anthropic" && e.agent_key === "a1"],
        [{ provider: "anthropic", model: "gpt-4o-mini" }, () => false],
        [{ status: "success" }, ({ status }) => status === "success"],
        [{ status: "timeout" }, ({ status }) => status === "timeout"],
        [{ agentKey: "nobody" }, () => false],
      ];
      for (const [filter, matches] of filters) {
        const rows = await allPages(after => model.events(scope, filter, 3, after));
        const expected = facts.filter(({ event }) => matches(event));
        expect(new Set(rows.map(({ event }) => event.id))).toEqual(
          new Set(expected.map(({ event }) => event.id)),
        );
        expect(rows).toHaveLength(expected.length);
        expectNewestFirst(rows);
        const costs = new Map(expected.map(fact => [fact.event.id, fact]));
        for (const { event, adjustment_microcents, is_unpriced } of rows) {
          const fact = costs.get(event.id);
          expect(event).toEqual(fact?.event ?? event);
          expect(event.cost_microcents + adjustment_microcents).toBe(fact?.cost ?? Number.NaN);
          expect(is_unpriced).toBe(fact?.isUnpriced ?? !is_unpriced);
        }
        for (const row of rows.slice(0, 1)) expect(await model.event(scope, row.event.id)).toEqual(row);
      }
    }
  }, 600_000);

  function expectNewestFirst(rows: readonly ListedEvent[]): void {
    for (const [index, { position }] of rows.entries()) {
      const next = rows[index + 1]?.position;
      if (next)
        expect(position.at > next.at || (position.at === next.at && position.seq > next.seq)).toBe(true);
    }
  }
});
