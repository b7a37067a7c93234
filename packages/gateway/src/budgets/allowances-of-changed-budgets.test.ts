import { describe, expect, it } from "bun:test";
import { sure } from "@tollgate/core/budgets/expectation";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { endOfTurn, openAllowances } from "../../../../test/support/labs/allowance-lab.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";

describe("allowances", () => {
  it("REL-002 use nothing of a grant from before a time in which the budget did not block", async () => {
    const { granted, share, asked, becomeBlocking, state } = openAllowances();
    expect(await granted()).toBe(microcents(100));
    becomeBlocking(7);
    // At the first call, which may come before the report.
    expect(share()).toMatchObject({ limitMicrocents: ZERO_MICROCENTS, mayGrow: true });
    const wakes = state.wakes;
    await eventually("the bank has answered", () => state.wakes > wakes);
    expect(asked.map(({ blockingSinceMs }) => blockingSinceMs)).toEqual([null, 7]);
    expect(asked.at(-1)?.givesBack).toBe(true);
  });

  it("REL-002 report a budget that has changed, even if nothing was spent, with what calls in flight need, and give back the rest", async () => {
    const { allowances, budget, account, asked, state, share } = openAllowances();
    allowances.report(budget, account);
    await eventually("nothing is reported", () => state.wakes === 1);
    expect(asked[0]).toMatchObject({
      settledMicrocents: 0,
      usedMicrocents: 0,
      wantedMicrocents: 0,
      givesBack: true,
    });
    // Admitted while it did not block.
    account.settle(microcents(20));
    account.reserve(sure(microcents(300)));
    state.isAway = true;
    allowances.report(budget, account);
    await eventually("the bank did not answer", () => state.wakes === 2);
    state.isAway = false;
    await allowances.renew();
    expect(asked.at(-1)).toMatchObject({ settledMicrocents: 20, usedMicrocents: 320, givesBack: true });
    await allowances.renew();
    expect(asked.at(-1)?.givesBack).toBe(false);
    expect(share().limitMicrocents).toBe(microcents(320));
  });

  it("REL-002 admit nothing from what calls in flight release, until all nodes have reported", async () => {
    const { allowances, budget, account, asked, state, share, granted } = openAllowances();
    state.awaitsReports = true;
    const calls = sure(microcents(300));
    account.reserve(calls);
    allowances.report(budget, account);
    // The calls end before the bank answers, and cost less.
    account.release(calls);
    account.settle(microcents(20));
    expect(share().limitMicrocents).toBe(ZERO_MICROCENTS);
    await eventually("the report is answered", () => state.wakes > 0);
    expect(share()).toMatchObject({ limitMicrocents: ZERO_MICROCENTS, mayGrow: true });
    account.reserve(sure(microcents(40)));
    state.nowMs = 50;
    expect(await granted()).toBe(ZERO_MICROCENTS);
    // What is still in flight is not left to others.
    expect(asked.at(-1)).toMatchObject({ settledMicrocents: 20, usedMicrocents: 60 });
    state.awaitsReports = false;
    state.nowMs = 100;
    expect(await granted()).toBe(microcents(300));
  });

  it("REL-002 use nothing of a grant from a higher limit, nor of one that arrives late", async () => {
    const { granted, share, account, asked, changeLimit, state } = openAllowances(100_000);
    state.granted = 5000;
    state.isLast = true;
    await granted();
    account.settle(microcents(30));
    changeLimit(900);
    // Other nodes hold parts of the higher limit, too.
    expect(share()).toMatchObject({ limitMicrocents: microcents(30), neededMicrocents: microcents(10) });
    await endOfTurn();
    expect(asked.at(-1)?.limitMicrocents).toBe(microcents(900));
    const wakes = state.wakes;
    changeLimit(800);
    share();
    state.granted = 50;
    state.isLast = false;
    await eventually("the bank has answered for 900", () => state.wakes > wakes);
    expect(share().limitMicrocents).toBe(microcents(30));
    await eventually("the bank has answered for 800", () => state.wakes > wakes + 1);
    expect(share().limitMicrocents).toBe(microcents(50));
  });

  it("REL-002 use nothing of what calls in flight release after the limit was lowered, until the bank answers", async () => {
    const { account, granted, share, changeLimit, state } = openAllowances();
    await granted();
    const call = sure(microcents(60));
    account.reserve(call);
    state.isAway = true;
    changeLimit(500);
    share();
    account.release(call);
    account.settle(microcents(5));
    expect(share().limitMicrocents).toBe(ZERO_MICROCENTS);
  });

  it("ask again at once when the limit of a spent budget was raised", async () => {
    const { granted, share, account, asked, changeLimit, state } = openAllowances(100);
    state.isSpent = true;
    account.settle(microcents(100));
    await granted();
    expect(share()).toMatchObject({ isSpent: true, mayGrow: false });
    expect(asked.length).toBe(1);
    changeLimit(1000);
    expect(share()).toMatchObject({ isSpent: false, mayGrow: true });
    await endOfTurn();
    expect(asked.length).toBe(2);
  });
});
