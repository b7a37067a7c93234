import { afterAll, expect, it } from "bun:test";
import type { Budget } from "@tollgate/core/budgets/budget";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/sample-event.ts";
import { Metrics } from "../metrics.ts";
import { Budgets } from "./budgets.ts";

const path = temporaryFolder();
const budget: Budget = {
  id: "budget",
  orgId: "org",
  mode: "live",
  agentKey: "default",
  keyId: null,
  customerId: null,
  verificationId: null,
  period: "monthly",
  limitMicrocents: microcents(1000),
  enforcement: "hard_block",
  isStrict: false,
  allowsUnpriced: false,
  isPaused: false,
  sinceMs: SAMPLE_DAY - 60 * 86_400_000,
};
const source = { refresh() {}, budgetsOf: () => [budget, { ...budget, id: "paused", isPaused: true }] };
const told: [string, number][] = [];
const ledger = new Ledger(path("ledger.db"), "normal", () => {}, {
  budgets: source,
  appended: event => budgets.count(event),
});
const catalogue = createCatalogue();
const budgets = new Budgets(source, ledger, { of: () => catalogue }, new Metrics(), 250, {
  of: () => {
    throw new Error("no call is made");
  },
  counted: ({ id }, { settledMicrocents }) => told.push([id, settledMicrocents]),
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
