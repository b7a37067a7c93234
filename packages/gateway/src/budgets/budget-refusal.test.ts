import { expect, it } from "bun:test";
import { BudgetAccount } from "@tollgate/core/budgets/account";
import { microcents } from "@tollgate/core/money/money";
import { sampleBudget } from "../../../../test/support/rows/sample-budget.ts";
import { budgetExceeded } from "./budget-refusal.ts";

const budget = sampleBudget();
const spend = { settledMicrocents: microcents(300), withheldMicrocents: microcents(0) };
const account = new BudgetAccount(0, 0, 86_400_000, spend);

it("BUD-009 current_spending is what all gateways have spent, as far as this one knows", () => {
  const refused = (elsewhere: number | null, reason: "spent" | "elsewhere") => {
    const share = elsewhere === null ? null : { spentElsewhereMicrocents: microcents(elsewhere) };
    const { fields, message } = budgetExceeded({ budget, account, share }, 1, reason);
    expect(Object.keys(fields ?? {}).sort()).toEqual(["current_spending", "limit", "retry_at"]);
    return [fields?.current_spending, message];
  };
  expect(refused(null, "spent")).toEqual([300, expect.stringContaining("does not cover this call")]);
  expect(refused(500, "spent")).toEqual([800, expect.stringContaining("does not cover this call")]);
  expect(refused(700, "spent")).toEqual([1000, expect.stringMatching(/is spent$/)]);
  expect(refused(500, "elsewhere")).toEqual([800, expect.stringContaining("svc nodes remove")]);
});
