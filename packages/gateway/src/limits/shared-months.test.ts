import { describe, expect, it } from "bun:test";
import type { CallsGrant } from "@tollgate/storage/shared-ledger/quota-bank";
import fc from "fast-check";
import { simulatedPlans } from "../../../../test/support/full-size.ts";
import {
  type Plan,
  QuotaSimulation,
  type Step,
} from "../../../../test/support/simulations/quota-simulation.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { SharedMonths } from "./shared-months.ts";

const NOVEMBER = "2026-11";

const calls = (
  afterMs: number,
  node: number,
  count: number,
  more: { everyMs?: number; queuedMs?: number; ending?: "made" | "over budget" } = {},
): Step => ({ kind: "calls", afterMs, node, count, everyMs: 0, queuedMs: 0, ending: "made", ...more });

async function simulate(steps: readonly Step[], limit: number, lastNode: number) {
  const simulation = new QuotaSimulation({ seed: 1, isMonthEnding: false, nodes: 2, limit, steps });
  await simulation.run();
  const made = simulation.madeIn(NOVEMBER);
  return { made, stranded: await simulation.stranded(lastNode), violations: simulation.violations };
}

describe("monthly calls of two nodes", () => {
  const cases: readonly [string, number, readonly Step[]][] = [
    [
      "an idle node gives back in vain, because PostgreSQL is away",
      100,
      [
        calls(0, 0, 1),
        { kind: "network", afterMs: 5000, node: 0, network: "away" },
        { kind: "network", afterMs: 30_000, node: 0, network: "good" },
      ],
    ],
    [
      "a node stops while a request is in flight, and never returns",
      100,
      [
        calls(0, 0, 1),
        { kind: "network", afterMs: 3000, node: 0, network: "slow" },
        calls(0, 0, 8),
        { kind: "stop", afterMs: 30, node: 0, downMs: null },
      ],
    ],
    [
      "a node is killed, and gets no call after its restart",
      100,
      [calls(0, 0, 1), { kind: "kill", afterMs: 1000, node: 0, downMs: 10 }],
    ],
  ];
  it.each(cases)("REL-011 %s: the other one can make all calls that are left", async (_, limit, steps) => {
    expect(await simulate(steps, limit, 1)).toMatchObject({ stranded: 0, violations: [] });
  });

  it("REL-018 calls that an idle node made without PostgreSQL are known to the other one", async () => {
    const steps: Step[] = [
      { kind: "network", afterMs: 0, node: 0, network: "away" },
      // The first calls may wait in vain, until the request has failed.
      calls(1, 0, 1),
      calls(3000, 0, 10),
      { kind: "network", afterMs: 30_000, node: 0, network: "good" },
    ];
    expect(await simulate(steps, 10, 1)).toMatchObject({ made: 10, violations: [] });
    const later = [...steps, calls(30_000, 1, 10)];
    expect(await simulate(later, 10, 1)).toMatchObject({ made: 10, violations: [] });
  });

  it("LIM-015 a lower limit holds at once, although both hold parts of the higher one", async () => {
    const steps: Step[] = [
      calls(0, 0, 30),
      calls(0, 1, 30),
      { kind: "limit", afterMs: 100, node: 0, limit: 64 },
      calls(4500, 0, 60),
      calls(0, 1, 60),
    ];
    expect(await simulate(steps, 400, 1)).toMatchObject({ made: 64, violations: [] });
  });

  it("REL-011 calls that are being written to disk are not counted twice, and leave no room beyond the limit", async () => {
    const steps = Array.from({ length: 20 }, (_, at) =>
      calls(at % 2 === 0 ? 60 : 0, at % 2, 40, { everyMs: 1 }),
    );
    expect(await simulate(steps, 200, 1)).toEqual({ made: 200, stranded: 0, violations: [] });
  });

  it("an answer to a request with a higher limit grants nothing", async () => {
    const answers: ((grant: CallsGrant) => void)[] = [];
    const limits: number[] = [];
    const months = new SharedMonths({
      bank: {
        askForCalls: ({ limit }) => {
          limits.push(limit);
          return new Promise(resolve => answers.push(resolve));
        },
        heldMonths: async () => [],
      },
      callsInMonth: () => 0,
      onFault: () => {},
      uptimeMs: () => performance.now(),
      patienceMs: 300_000,
    });
    const month = { orgId: "org", month: NOVEMBER, ownCalls: () => 0 };
    const reserved = [400, 10].map(limit => months.reserve({ ...month, limit }));
    answers[0]?.({ grantedCalls: 50, usedCalls: 0 });
    await eventually("it asks with the new limit", () => limits.length === 2);
    expect(limits).toEqual([400, 10]);
    answers[1]?.({ grantedCalls: 2, usedCalls: 0 });
    expect((await Promise.all(reserved)).filter(Boolean).length).toBe(2);
  });

  it("while the other one holds the rest, callers do not make a node ask without a pause", async () => {
    const steps = [calls(0, 0, 1), ...Array.from({ length: 20 }, () => calls(50, 1, 50, { everyMs: 1 }))];
    expect(await simulate(steps, 20, 1)).toMatchObject({ stranded: 0, violations: [] });
  });
});

const common = { afterMs: fc.oneof(fc.nat(300), fc.nat(30_000)), node: fc.nat(3) };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      ...common,
      kind: fc.constant("calls"),
      count: fc.integer({ min: 1, max: 60 }),
      everyMs: fc.constantFrom(0, 1, 20, 500),
      queuedMs: fc.constantFrom(0, 0, 50, 2000),
      ending: fc.constantFrom("made", "made", "over budget", "not written"),
    }),
  },
  fc.record({
    ...common,
    kind: fc.constant("network"),
    network: fc.constantFrom("good", "slow", "lossy", "away"),
  }),
  fc.record({ ...common, kind: fc.constant("limit"), limit: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ ...common, kind: fc.constant("kill"), downMs: fc.constantFrom(10, 1000, 40_000) }),
  fc.record({ ...common, kind: fc.constant("stop"), downMs: fc.constantFrom(10, 40_000, null) }),
  fc.record({ ...common, kind: fc.constant("clock"), aheadMs: fc.integer({ min: -90_000, max: 90_000 }) }),
);
const plan: fc.Arbitrary<Plan> = fc.record({
  seed: fc.nat(),
  isMonthEnding: fc.boolean(),
  nodes: fc.integer({ min: 2, max: 4 }),
  limit: fc.integer({ min: 1, max: 300 }),
  steps: fc.array(step, { maxLength: 25 }),
});

describe("monthly calls of several nodes, simulated", () => {
  it("REL-011 LIM-008 whatever happens, no call is made too many, and none is left that could be made", async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.nat(3), async (one, node) => {
        const simulation = new QuotaSimulation(one);
        await simulation.run();
        const stranded = await simulation.stranded(node);
        expect({ stranded, violations: simulation.violations.slice(0, 3) }).toEqual({
          stranded: 0,
          violations: [],
        });
      }),
      simulatedPlans(2000),
    );
  }, 600_000);
});
