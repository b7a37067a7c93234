import { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { Allowances } from "@tollgate/gateway/budgets/allowances";
import type { AllowanceRequest } from "@tollgate/storage/shared-ledger/grant-share";
import { eventually } from "../waiting/eventually.ts";

/** What a call needs of a budget. */
export const need = { fittingMicrocents: microcents(10), leastMicrocents: microcents(1) };

/** One budget of a node, and a bank that answers as `state` says and records what it is asked. */
export function openAllowances(limit = 1000) {
  const withLimit = (amount: number, blockingSinceMs: number | null = null) =>
    ({
      id: "budget",
      orgId: "org",
      mode: "live",
      period: "monthly",
      limitMicrocents: microcents(amount),
      sinceMs: 1,
      blockingSinceMs,
    }) as Budget;
  let budget = withLimit(limit);
  const nothing = { settledMicrocents: ZERO_MICROCENTS, withheldMicrocents: ZERO_MICROCENTS };
  const account = new BudgetAccount(1, 0, Number.MAX_SAFE_INTEGER, nothing);
  const asked: AllowanceRequest[] = [];
  const state = {
    nowMs: 0,
    granted: 100,
    isLast: false,
    isSpent: false,
    awaitsReports: false,
    isAway: false,
    elsewhere: 0,
    faults: 0,
    wakes: 0,
  };
  const allowances = new Allowances({
    bank: {
      async ask(request) {
        asked.push(request);
        if (state.isAway) throw new Error("away");
        if (request.givesBack) state.granted = request.usedMicrocents;
        return {
          grantedMicrocents: microcents(state.granted),
          isLast: state.isLast,
          isSpent: state.isSpent,
          awaitsReports: state.awaitsReports,
          settledElsewhereMicrocents: microcents(state.elsewhere),
        };
      },
    },
    changed: () => state.wakes++,
    onFault: () => state.faults++,
    uptimeMs: () => state.nowMs,
  });
  const changeLimit = (amount: number) => {
    budget = withLimit(amount);
  };
  const becomeBlocking = (sinceMs: number) => {
    budget = withLimit(limit, sinceMs);
  };
  const counted = () => allowances.counted(budget, account);
  const share = () => allowances.of(budget, account, need);
  const admit = () => {
    const { limitMicrocents } = share();
    allowances.admitted(account);
    return limitMicrocents;
  };
  const granted = async () => {
    const wakes = state.wakes;
    share();
    await eventually("the bank has answered", () => state.wakes > wakes);
    return share().limitMicrocents;
  };
  const isSpent = () => allowances.isSpent(budget, account);
  return {
    allowances,
    budget,
    account,
    asked,
    state,
    admit,
    isSpent,
    share,
    counted,
    granted,
    changeLimit,
    becomeBlocking,
  };
}

/** The bank is asked at the end of a turn. */
export const endOfTurn = () => Promise.resolve();
