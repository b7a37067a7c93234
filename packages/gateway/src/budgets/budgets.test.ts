import { afterAll, expect, it } from "bun:test";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { textPrompt } from "@tollgate/core/pricing/prompt-size";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleBudget } from "../../../../test/support/rows/sample-budget.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { Metrics } from "../metrics.ts";
import type { Identified, Routed } from "../request/routed.ts";
import { Budgets } from "./budgets.ts";

const path = temporaryFolder();
const budget = sampleBudget({
  id: "budget",
  agentKey: "default",
  period: "monthly",
  sinceMs: SAMPLE_DAY - 60 * 86_400_000,
});
const list = [
  budget,
  { ...budget, id: "paused", isPaused: true },
  { ...budget, id: "of everything", orgId: "other", agentKey: null },
  { ...budget, id: "of the agent", orgId: "other" },
];
const source = { refresh() {}, budgetsOf: (orgId: string) => list.filter(one => one.orgId === orgId) };
const told: [string, number][] = [];
const asked: string[] = [];
const spent = new Set<string>();
const admitted: string[] = [];
const ledger = new Ledger(path("ledger.db"), "normal", () => {}, {
  budgets: source,
  appended: event => budgets.count(event),
});
const catalogue = createCatalogue();
const budgets = new Budgets(source, ledger, { of: () => catalogue }, new Metrics(), 250, {
  isSpent: ({ id }) => spent.has(id),
  of: ({ id }, _account, { leastMicrocents }) => {
    asked.push(id);
    const isSpent = spent.has(id);
    const limit = microcents(isSpent ? 0 : 1000);
    return {
      limitMicrocents: limit,
      neededMicrocents: leastMicrocents,
      isAsked: false,
      mayGrow: false,
      isSpent,
      spentElsewhereMicrocents: microcents(isSpent ? 600 : 0),
    };
  },
  admitted: () => admitted.push("one"),
  counted: ({ id }, { settledMicrocents }) => told.push([id, settledMicrocents]),
  report: ({ id }, { settledMicrocents }) => told.push([id, settledMicrocents]),
});
afterAll(() => ledger.close());

it("REL-002 other gateways hear of ingested spend, although no call of this one has asked about the budget", async () => {
  const [first, second, third] = ["1", "2", "3"].map(id => sampleSettlement(id, { source: "ingest" }));
  if (first === undefined || second === undefined || third === undefined) throw new Error();
  const cost = first.event.cost_microcents;
  expect(cost).toBeGreaterThan(ZERO_MICROCENTS);
  // Written in one transaction: each counts once.
  await Promise.all([ledger.append([first, second]), ledger.append([third])]);
  expect(told.at(-1)).toEqual(["budget", 3 * cost]);
  expect(told.some(([id]) => id === "paused")).toBe(false);
  await ledger.append([sampleSettlement("4", { source: "ingest" })]);
  expect(told.at(-1)).toEqual(["budget", 4 * cost]);
  // A period that is over needs no allowance, and must not take the current one's place.
  const before = told.length;
  await ledger.append([sampleSettlement("5", { created_at: SAMPLE_DAY - 40 * 86_400_000 })]);
  expect(told.length).toBe(before);
});

it("REL-002 a call that one budget refuses takes nothing of the others", () => {
  const identified = {
    caller: { orgId: "other", mode: "live", keyId: "key" },
    agentKey: "default",
    customerId: null,
    pair: null,
  } as Identified;
  const routed = {
    provider: { id: "openai" },
    model: "gpt-4o-mini",
    exchange: { prompt: textPrompt(100) },
    summary: { maxOutputTokens: 10, choices: 1 },
  } as Routed;
  const reserve = (changed: Partial<Routed> = {}) =>
    budgets.reserve(identified, { ...routed, ...changed }, SAMPLE_DAY, "over");
  spent.add("of the agent");
  expect(() => reserve()).toThrow("does not cover this call");
  expect(asked.splice(0)).toEqual(["of the agent"]);
  expect(() => reserve({ model: "a model without a price" })).toThrow("without a price");
  expect(asked).toEqual([]);
  expect(admitted).toEqual([]);
  spent.clear();
  expect(reserve().kind).toBe("held");
  expect(asked).toEqual(["of everything", "of the agent"]);
  expect(admitted.length).toBe(2);
});
