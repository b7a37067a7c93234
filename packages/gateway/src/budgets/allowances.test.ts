import { describe, expect, it } from "bun:test";
import { BudgetAccount } from "@tollgate/core/budgets/account";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { endOfTurn, need, openAllowances } from "../../../../test/support/labs/allowance-lab.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";

describe("allowances", () => {
  it("BUD-009 know what the other nodes had spent when the bank last answered", async () => {
    const { share, granted, state } = openAllowances();
    expect(share().spentElsewhereMicrocents).toBe(microcents(0));
    state.elsewhere = 700;
    await granted();
    expect(share().spentElsewhereMicrocents).toBe(microcents(700));
  });

  it("admit nothing before the bank has granted something, and ask it once", async () => {
    const { share, granted, asked } = openAllowances();
    expect(share()).toEqual({
      limitMicrocents: ZERO_MICROCENTS,
      neededMicrocents: microcents(10),
      isAsked: true,
      mayGrow: true,
      isSpent: false,
      spentElsewhereMicrocents: microcents(0),
    });
    share();
    await endOfTurn();
    expect(asked.length).toBe(1);
    expect(await granted()).toBe(microcents(100));
    expect(asked[0]).toMatchObject({ orgId: "org", budgetId: "budget", sinceMs: 1, period: "1970-01" });
  });

  it("ask for more when half of the last grant is used, not for every call", async () => {
    const { share, granted, asked, account } = openAllowances();
    await granted();
    for (let call = 0; call < 40; call++) share();
    expect(asked.length).toBe(1);
    account.settle(microcents(51));
    share();
    await endOfTurn();
    expect(asked.length).toBe(2);
    expect(asked[1]?.usedMicrocents).toBe(microcents(51));
  });

  it("ask once for all calls that wait after an answer", async () => {
    const { share, granted, asked, account } = openAllowances();
    await granted();
    account.settle(microcents(100));
    for (let call = 0; call < 7; call++) share();
    await endOfTurn();
    expect(asked.slice(1)).toMatchObject([{ awaitedMicrocents: 70, wantedMicrocents: 10 }]);
  });

  it("wait before the bank is asked again, also with a last part that is used up", async () => {
    const { share, granted, asked, account, state } = openAllowances();
    state.isLast = true;
    account.settle(microcents(100));
    await granted();
    share();
    await endOfTurn();
    expect(asked.length).toBe(1);
    state.nowMs += 50;
    share();
    await endOfTurn();
    expect(asked.length).toBe(2);
  });

  it("REL-002 a call has to fit, unless this node has the last part", async () => {
    const { granted, share, state } = openAllowances();
    await granted();
    expect(share().neededMicrocents).toBe(microcents(10));
    state.isLast = true;
    state.nowMs = 31_000;
    await granted();
    expect(share().neededMicrocents).toBe(microcents(1));
  });

  it("REL-020 admit nothing after the lease has ended, until the bank answers again", async () => {
    const { granted, share, state } = openAllowances();
    await granted();
    state.isAway = true;
    state.nowMs = 29_999;
    expect(share().limitMicrocents).toBe(microcents(100));
    // Frozen for two minutes, or cut off.
    state.nowMs = 150_000;
    expect(share().limitMicrocents).toBe(ZERO_MICROCENTS);
    await eventually("the fault was reported", () => state.faults > 0);
    expect(share()).toMatchObject({ limitMicrocents: ZERO_MICROCENTS, mayGrow: false });
    state.isAway = false;
    state.nowMs = 152_000;
    expect(await granted()).toBe(microcents(100));
  });

  it("go on within what they hold while the bank is away, and renew it", async () => {
    const { allowances, granted, admit, share, state, asked } = openAllowances();
    await granted();
    state.isAway = true;
    state.nowMs = 20_000;
    admit();
    await allowances.renew();
    expect(share().limitMicrocents).toBe(microcents(100));
    state.isAway = false;
    await allowances.renew();
    state.nowMs = 45_000;
    expect(share().limitMicrocents).toBe(microcents(100));
    expect(asked.at(-1)?.wantedMicrocents).toBe(ZERO_MICROCENTS);
  });

  it("REL-002 do not give up for a larger call what another call needs that waits for a second budget", async () => {
    const large = { fittingMicrocents: microcents(500), leastMicrocents: microcents(1) };
    for (const isAdmitted of [true, false]) {
      const { allowances, budget, account, granted, state, asked } = openAllowances();
      const ask = () => allowances.of(budget, account, large);
      await granted();
      expect(ask()).toMatchObject({ limitMicrocents: 100, isAsked: false, mayGrow: true });
      expect(asked.length).toBe(1);
      if (isAdmitted) allowances.admitted(account);
      else state.nowMs = 50;
      expect(ask()).toMatchObject({ isAsked: true });
    }
  });

  it("REL-002 know that a budget is spent only when they hold nothing of it", async () => {
    const { granted, account, isSpent, state } = openAllowances();
    state.isSpent = true;
    expect(isSpent()).toBe(false);
    await granted();
    expect(isSpent()).toBe(false);
    account.settle(microcents(100));
    expect(isSpent()).toBe(true);
  });

  it("REL-002 once the whole limit is spent, a call must fit even into the last part", async () => {
    const { granted, share, state } = openAllowances();
    Object.assign(state, { isLast: true, isSpent: true });
    await granted();
    expect(share()).toMatchObject({ isSpent: true, neededMicrocents: microcents(10) });
  });

  it("REL-002 stay the same for an account that was dropped and read again", async () => {
    const { allowances, budget, granted, asked, state } = openAllowances();
    await granted();
    const spend = { settledMicrocents: microcents(40), withheldMicrocents: ZERO_MICROCENTS };
    const again = new BudgetAccount(1, 0, Number.MAX_SAFE_INTEGER, spend);
    expect(allowances.of(budget, again, need).limitMicrocents).toBe(microcents(100));
    state.nowMs = 5000;
    allowances.admitted(again);
    state.nowMs = 11_000;
    await allowances.renew();
    expect(asked.length).toBe(2);
    expect(asked.at(-1)).toMatchObject({ givesBack: false, usedMicrocents: microcents(40) });
  });

  it("do not use a part that the bank takes back because it is too small", async () => {
    const { granted, share, account, asked } = openAllowances();
    await granted();
    account.settle(microcents(95));
    expect(share().limitMicrocents).toBe(microcents(100));
    await endOfTurn();
    expect(asked.length).toBe(2);
    // While the question is under way, nothing of it is left for a smaller call.
    expect(share().limitMicrocents).toBe(microcents(95));
  });

  it("BUD-023 do not ask again at once if the last part is too small for the call", async () => {
    const { allowances, budget, account, state } = openAllowances();
    const strict = { fittingMicrocents: microcents(80), leastMicrocents: microcents(40) };
    const share = () => allowances.of(budget, account, strict);
    Object.assign(state, { granted: 30, isLast: true });
    expect(share().isAsked).toBe(true);
    await eventually("the bank has answered", () => state.wakes === 1);
    expect(share()).toMatchObject({ limitMicrocents: microcents(30), isAsked: false });
    state.nowMs += 1000;
    expect(share().isAsked).toBe(true);
  });
});
