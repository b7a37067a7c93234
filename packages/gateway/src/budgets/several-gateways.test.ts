import { expect, it } from "bun:test";
import type { Budget } from "@tollgate/core/budgets/budget";
import { microcents } from "@tollgate/core/money/money";
import fc from "fast-check";
import { simulatedPlans } from "../../../../test/support/full-size.ts";
import type { SimulatedCall } from "../../../../test/support/simulations/simulated-calls.ts";
import type { SimulatedGateway } from "../../../../test/support/simulations/simulated-gateway.ts";
import {
  type Simulated,
  type SimulatedBudget,
  SimulatedGateways,
} from "../../../../test/support/simulations/simulated-gateways.ts";

type Step = OfBudget | OfNode | { readonly do: "remove"; readonly node: number };
type OfBudget =
  | { readonly do: "change"; readonly budget: number; readonly change: Partial<Budget> }
  | { readonly do: "reset"; readonly budget: number }
  | { readonly do: "replace"; readonly budget: number };
type Caller = Pick<SimulatedCall, "agent" | "customer">;
type OfNode =
  | { readonly do: "call"; readonly node: number; readonly call: SimulatedCall; readonly count: number }
  | { readonly do: "ingest"; readonly node: number; readonly cost: number; readonly by: Caller }
  | { readonly do: "cut off" | "lose answers"; readonly node: number; readonly is: boolean }
  | { readonly do: "freeze"; readonly node: number; readonly ms: number }
  | { readonly do: "die" | "stop" | "start"; readonly node: number };

const node = fc.constantFrom(0, 0, 1, 1, 2, 3);
const durationMs = fc.constantFrom(0, 5, 60, 700, 3000, 20_000);
const caller = {
  agent: fc.constantFrom("default", "default", "default", "other"),
  customer: fc.constantFrom("customer", "customer", null),
};
const call: fc.Arbitrary<SimulatedCall> = fc.record({
  ...caller,
  askedTokens: fc.option(fc.integer({ min: 1, max: 40 })),
  answeredTokens: fc.nat(20),
  takesMs: durationMs,
  ending: fc.constantFrom("answered", "answered", "answered", "not made", "estimated"),
});
const count = fc.integer({ min: 1, max: 12 });
const limit = fc.constantFrom(1000, 5000, 20_000, 60_000);
const budget = fc.nat(3);
const ofBudget = (change: fc.Arbitrary<Partial<Budget>>) =>
  fc.record({ do: fc.constant("change"), budget, change });
const enforcement = ofBudget(
  fc.constantFrom<Partial<Budget>>(
    { enforcement: "hard_block" },
    { enforcement: "hard_block" },
    { enforcement: "alert_only" },
    { isPaused: true },
    { isPaused: false },
  ),
);
const calls = fc.record({ do: fc.constant("call"), node, call, count });
const others = [
  fc.record({
    do: fc.constant("ingest"),
    node,
    cost: fc.constantFrom(50, 900, 6000, 20_000),
    by: fc.record(caller),
  }),
  fc.record({ do: fc.constantFrom("cut off", "lose answers"), node, is: fc.boolean() }),
  fc.record({ do: fc.constant("freeze"), node, ms: fc.constantFrom(0, 500, 4000, 40_000) }),
];
const changes = [
  ofBudget(limit.map(limit => ({ limitMicrocents: microcents(limit) }))),
  enforcement,
  fc.record({ do: fc.constantFrom("reset", "replace"), budget }),
  fc.record({ do: fc.constantFrom("die", "die", "stop", "start", "start", "start", "remove"), node }),
];
const stepOf = (rare: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 2 * rare.length, arbitrary: calls as fc.Arbitrary<Step> },
    ...rare.map(arbitrary => ({ weight: 1, arbitrary })),
  );
const pauseMs = fc.constantFrom(0, 0, 0, 1, 20, 100, 100, 400, 1000, 3000, 11_000, 31_000);
const stepsOf = (rare: readonly unknown[]) =>
  fc.array(fc.tuple(stepOf(rare as fc.Arbitrary<Step>[]), pauseMs), { maxLength: 60, size: "max" });
/** Some runs have a budget that blocks all the time, and no node that ends; in others it only begins and ceases to block. */
const steps = fc.oneof(stepsOf(others), stepsOf([...others, ...changes]), stepsOf([enforcement]));
const delayMs = fc.oneof(
  { weight: 8, arbitrary: fc.nat(20) },
  { weight: 2, arbitrary: fc.nat(300) },
  { weight: 1, arbitrary: fc.nat(1500) },
);
const budgetOf = (scope: SimulatedBudget["scope"], period: fc.Arbitrary<SimulatedBudget["period"]>) =>
  fc.record({
    scope: fc.constant(scope),
    period,
    limit: fc.constantFrom(2000, 8000, 30_000, 100_000),
    isStrict: fc.boolean(),
    isBlocking: fc.constantFrom(true, true, true, false),
  });
const anyPeriod = fc.constantFrom("daily" as const, "monthly" as const);
const budgets = fc.oneof(
  fc.tuple(budgetOf("organization", fc.constant("daily" as const))),
  fc
    .uniqueArray(fc.constantFrom("organization", "agent", "key", "customer"), { minLength: 2 })
    .chain(scopes => fc.tuple(...scopes.map(scope => budgetOf(scope, anyPeriod)))),
);
const plan: fc.Arbitrary<Simulated> = fc.record({
  nodes: fc.constantFrom(1, 2, 2, 3, 3, 4, 4),
  budgets,
  midnight: fc.constantFrom("2026-11-16" as const, "2026-12-01" as const),
  startsBeforeMidnightMs: fc.constantFrom(43_200_000, 43_200_000, 20_000),
  skewsMs: fc.constantFrom([0], [0, 2000, -3000]),
  delaysMs: fc.array(delayMs, { minLength: 1, maxLength: 30 }),
});

async function take(all: SimulatedGateways, step: Step): Promise<void> {
  if (step.do === "change") all.change(step.budget, step.change);
  else if (step.do === "reset") all.reset(step.budget);
  else if (step.do === "replace") all.replace(step.budget);
  else {
    const gateway = all.gateways[step.node % all.gateways.length];
    if (gateway === undefined) return;
    if (step.do === "remove") await all.remove(gateway);
    else if (step.do !== "start") takeAt(gateway, step);
    else if (gateway.machine.isDead) gateway.start();
  }
}

function takeAt(gateway: SimulatedGateway, step: OfNode): void {
  if (!gateway.isRunning) return;
  const { time } = gateway.all;
  switch (step.do) {
    case "call":
      time.after(0, gateway.machine, () => {
        for (let index = 0; index < step.count; index++) void gateway.call(step.call);
      });
      return;
    case "ingest":
      time.after(0, gateway.machine, () => gateway.ingest(step.cost, step.by));
      return;
    case "cut off":
      gateway.isCutOff = step.is;
      gateway.hearSoon();
      return;
    case "lose answers":
      gateway.losesAnswers = step.is;
      return;
    case "freeze":
      gateway.freeze(step.ms);
      return;
    case "die":
      gateway.die();
      return;
    case "stop":
      time.after(0, gateway.machine, () => void gateway.stop());
  }
}

const SMALL_CALL: SimulatedCall = {
  agent: "default",
  customer: "customer",
  askedTokens: 1,
  answeredTokens: 1,
  takesMs: 0,
  ending: "answered",
};
/** More than it needs under any budget. */
const ENOUGH_MICROCENTS = 2000;

/** Everything that is broken works again, except for dead nodes. Then a small call is admitted, if there is money for it. */
async function settleDown(all: SimulatedGateways): Promise<void> {
  all.calm();
  await all.time.pass(90_000);
  all.checkIdle();
  const alive = all.gateways.filter(({ isRunning }) => isRunning);
  const [first] = alive;
  if (first === undefined) return;
  const leftMicrocents = all.leftFor(first, SMALL_CALL);
  let admitted = 0;
  for (const gateway of alive) {
    all.time.after(0, gateway.machine, async () => {
      if (await gateway.call(SMALL_CALL)) admitted++;
    });
    await all.time.pass(6000);
  }
  if (leftMicrocents < ENOUGH_MICROCENTS) return;
  totals.withMoneyLeft++;
  if (admitted === 0) all.violations.push(`${leftMicrocents} are left, and no gateway admits a small call`);
}

const totals = { runs: 0, withMoneyLeft: 0, admitted: 0, checked: 0, refused: 0, requests: 0, hours: 0 };

async function run(plan: Simulated, steps: readonly (readonly [Step, number])[]): Promise<void> {
  const all = new SimulatedGateways(plan);
  try {
    await all.time.pass(1000);
    for (const [step, pauseMs] of steps) {
      await take(all, step);
      await all.time.pass(pauseMs);
      expect(all.violations).toEqual([]);
    }
    await settleDown(all);
    expect(all.violations).toEqual([]);
  } finally {
    all.close();
  }
  totals.runs++;
  totals.hours += all.time.nowMs / 3_600_000;
  for (const name of ["admitted", "checked", "refused", "requests"] as const) totals[name] += all.stats[name];
}

it("REL-002 several gateways spend no more of a budget than one would, and leave nothing unused, whatever happens to them and to the bank", async () => {
  await fc.assert(fc.asyncProperty(plan, steps, run), simulatedPlans(1000));
  console.log(`simulated: ${JSON.stringify(totals)}`);
}, 600_000);
