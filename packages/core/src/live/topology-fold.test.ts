import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { HOUR_MS } from "../time/durations.ts";
import { RecentCalls } from "./recent-calls.ts";
import { TopologyFold } from "./topology-fold.ts";

const NOON = Date.parse("2026-11-15T12:30:00Z");

function fold(calls: readonly (readonly [session: string, agent: string, cost: number])[]): TopologyFold {
  const topology = new TopologyFold();
  for (const [session, agent, cost] of calls) {
    topology.addCalls(NOON, agent, 1, cost, cost === 0 ? 1 : 0);
    topology.addStep(NOON, session, agent, cost, cost === 0 ? 1 : 0);
  }
  return topology;
}

describe("TopologyFold", () => {
  it("LIVE-008 counts transitions between agents within a session, with the cost of the following call", () => {
    const { steps, agents } = fold([
      ["one", "planner", 1],
      ["two", "planner", 10],
      ["one", "writer", 100],
      ["two", "writer", 1000],
      ["one", "planner", 10_000],
      ["one", "planner", 5],
    ]).view(NOON);
    expect(steps).toEqual([
      { from: "planner", to: "writer", count: 2, costMicrocents: 1100, unpricedCalls: 0 },
      { from: "writer", to: "planner", count: 1, costMicrocents: 10_000, unpricedCalls: 0 },
    ]);
    expect(agents).toEqual([
      { agentKey: "planner", count: 4, costMicrocents: 10_016, unpricedCalls: 0 },
      { agentKey: "writer", count: 2, costMicrocents: 1100, unpricedCalls: 0 },
    ]);
  });

  it("MON-021 counts calls without a known price, per agent and per step", () => {
    const { steps, agents } = fold([
      ["one", "planner", 7],
      ["one", "writer", 0],
      ["two", "planner", 0],
    ]).view(NOON);
    expect(steps).toMatchObject([{ from: "planner", to: "writer", unpricedCalls: 1 }]);
    expect(agents).toMatchObject([
      { agentKey: "planner", count: 2, costMicrocents: 7, unpricedCalls: 1 },
      { agentKey: "writer", unpricedCalls: 1 },
    ]);
  });

  it("expires entries older than 24 hours, by whole hours", () => {
    const topology = fold([
      ["s", "a", 1],
      ["s", "b", 1],
    ]);
    const late = NOON + 23 * HOUR_MS;
    expect(topology.view(late).steps).toHaveLength(1);
    expect(topology.view(late).since).toBe(Date.parse("2026-11-15T12:00:00Z"));
    expect(topology.view(late + HOUR_MS)).toMatchObject({ agents: [], steps: [] });
  });

  it("remembers a bounded number of sessions: the least recently active one starts over", () => {
    const topology = fold([["first", "a", 1]]);
    for (let index = 0; index < 10_000; index++) topology.addStep(NOON, `s${index}`, "x", 1, 0);
    topology.addStep(NOON, "first", "b", 1, 0);
    topology.addStep(NOON, "s9999", "y", 1, 0);
    expect(topology.view(NOON).steps).toEqual([
      { from: "x", to: "y", count: 1, costMicrocents: 1, unpricedCalls: 0 },
    ]);
  });

  it("never counts more steps than calls, and counts every cost for one agent only", () => {
    const name = fc.constantFrom("a", "b", "c");
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name, fc.integer({ min: 0, max: 100 }))), calls => {
        const { steps, agents } = fold(calls).view(NOON);
        const counted = steps.reduce((sum, { count }) => sum + count, 0);
        expect(counted).toBeLessThanOrEqual(Math.max(0, calls.length - new Set(calls.map(([s]) => s)).size));
        expect(agents.reduce((sum, { costMicrocents }) => sum + costMicrocents, 0)).toBe(
          calls.reduce((sum, [, , cost]) => sum + cost, 0),
        );
      }),
    );
  });
});

describe("RecentCalls", () => {
  it("counts the last hour, and drops a call within ten seconds of its end", () => {
    const recent = new RecentCalls();
    recent.add(NOON, 2, 1);
    recent.add(NOON + 10_000, 3, 0);
    expect(recent.within(NOON + 10_000)).toEqual({ calls: 5, errors: 1 });
    expect(recent.within(NOON + HOUR_MS - 1)).toEqual({ calls: 5, errors: 1 });
    expect(recent.within(NOON + HOUR_MS + 10_000)).toEqual({ calls: 3, errors: 0 });
    expect(recent.within(NOON + HOUR_MS + 20_000)).toEqual({ calls: 0, errors: 0 });
  });
});
