import { describe, expect, it } from "bun:test";
import { microcents } from "../money/money.ts";
import { appliesTo, type Budget, countsToward } from "./budget.ts";

const budget = (change: Partial<Budget>): Budget => ({
  id: "b",
  orgId: "org",
  mode: "live",
  agentKey: null,
  keyId: null,
  customerId: null,
  verificationId: null,
  period: "daily",
  limitMicrocents: microcents(1000),
  enforcement: "hard_block",
  isStrict: false,
  allowsUnpriced: false,
  isPaused: false,
  sinceMs: 0,
  ...change,
});

describe("a budget", () => {
  it.each([
    [{}, true],
    [{ agentKey: "agent" }, true],
    [{ agentKey: "other" }, false],
    [{ keyId: "key" }, true],
    [{ keyId: "other" }, false],
    [{ customerId: "customer" }, true],
    [{ customerId: "other" }, false],
    [{ customerId: "Customer" }, false],
    [{ verificationId: "verification" }, false],
  ])("BUD-005 BUD-024 of %j counts a call of its agent, key and customer: %j", (change, counts) => {
    expect(appliesTo(budget(change), "agent", "key", "customer", null)).toBe(counts);
  });

  it.each([{ keyId: "key" }, { customerId: "customer" }])(
    "BUD-024 of %j counts no call without one: older events, and those of verifications",
    change => {
      const call = { agent_key: "agent", key_id: null, customer_id: null, created_at: 1, budget_flags: null };
      expect(countsToward(budget(change), { ...call, pair: null })).toBe(false);
      expect(countsToward(budget(change), { ...call, pair: { request_id: "verification" } })).toBe(false);
    },
  );
});
