import { describe, expect, it } from "bun:test";
import { type BudgetObservation, budgetLimit, budgetWarning } from "./budget-line.ts";
import { defaultAlertPreferences } from "./preferences.ts";

const preferences = defaultAlertPreferences;

describe("budget_warning", () => {
  const budget = (spentMicrocents: number): BudgetObservation => ({
    id: "b1",
    agentId: null,
    agentKey: null,
    keyId: null,
    customerId: null,
    period: "daily",
    periodId: "2026-11-15",
    since: 7,
    limitMicrocents: 1000,
    warningPct: 80,
    enforcementMode: "hard_block",
    spentMicrocents,
    unpricedCalls: 0,
  });

  it.each([
    [{}, "The organization's daily budget", {}],
    [{ agentKey: "writer" }, "The daily budget of the agent writer", { agent_key: "writer" }],
    [{ keyId: "k1" }, "The daily budget of the API key k1", { key_id: "k1" }],
    [{ customerId: "c\u202e1" }, "The daily budget of the customer c1", { customer_id: "c\u202e1" }],
  ])("BUD-024 ALERT-012 names whose budget it is: %j", (owner, name, metadata) => {
    const draft = budgetLimit({ ...budget(1000), ...owner }, preferences);
    expect(draft?.message).toStartWith(`${name} has reached its limit`);
    expect(draft?.metadata).toMatchObject(metadata);
  });

  it.each([
    [799, false, false],
    [800, true, false],
    [801, true, false],
    [999, true, false],
    [1000, true, true],
    [1001, true, true],
  ])("ALERT-012 at %p of 1000: warning %p, limit %p", (spent, warns, limits) => {
    expect(budgetWarning(budget(spent), preferences) !== null).toBe(warns);
    expect(budgetLimit(budget(spent), preferences) !== null).toBe(limits);
  });

  it("ALERT-012 reports each threshold separately, the limit as critical", () => {
    expect(budgetLimit(budget(1000), preferences)).toMatchObject({
      ruleKey: "budget:b1:limit",
      period: "2026-11-15:7:1000",
      severity: "critical",
      metadata: { budget_id: "b1", percentage_used: 100, kind: "limit" },
    });
    expect(budgetWarning(budget(800), preferences)).toMatchObject({
      ruleKey: "budget:b1:warning",
      severity: "warning",
      metadata: { budget_id: "b1", percentage_used: 80, kind: "warning" },
    });
  });

  it("MON-021 reports how many calls of the budget have no known price", () => {
    const draft = budgetLimit({ ...budget(1240), unpricedCalls: 1 }, preferences);
    expect(draft?.message).toEndWith("has reached its limit (124% used) (+ 1 unpriced call)");
    expect(draft?.metadata.unpriced_calls).toBe(1);
  });

  it("a limit that was exceeded many times over has a readable percentage", () => {
    expect(budgetLimit(budget(35_416_670), preferences)?.message).toEndWith("(3,541,667% used)");
  });

  it.each([
    [null, "The organization's daily budget has reached its limit (124% used)"],
    ["bud", "The daily budget of the agent bud has reached its limit (124% used)"],
  ])("ALERT-012 names the budget's owner: %p", (agentKey, message) => {
    const alert = budgetLimit({ ...budget(1240), agentKey }, preferences);
    expect(alert?.message).toBe(message);
    expect(alert?.metadata.agent_key ?? null).toBe(agentKey);
  });
});
