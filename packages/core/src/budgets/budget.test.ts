import { describe, expect, it } from "bun:test";
import { sampleBudget } from "../../../../test/support/rows/sample-budget.ts";
import { appliesTo, countsToward } from "./budget.ts";

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
    expect(appliesTo(sampleBudget(change), "agent", "key", "customer", null)).toBe(counts);
  });

  it.each([{ keyId: "key" }, { customerId: "customer" }])(
    "BUD-024 of %j counts no call without one: older events, and those of verifications",
    change => {
      const call = { agent_key: "agent", key_id: null, customer_id: null, created_at: 1, budget_flags: null };
      expect(countsToward(sampleBudget(change), { ...call, pair: null })).toBe(false);
      expect(countsToward(sampleBudget(change), { ...call, pair: { request_id: "verification" } })).toBe(
        false,
      );
    },
  );
});
