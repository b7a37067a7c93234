import { describe, expect, it } from "bun:test";
import { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import { sure } from "@tollgate/core/budgets/expectation";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import type { AllowanceRequest } from "@tollgate/storage/shared-ledger/grant-share";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { Allowances } from "./allowances.ts";

const need = { fittingMicrocents: microcents(10), leastMicrocents: microcents(1) };

function open(limit = 1000) {
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
const endOfTurn = () => Promise.resolve();

describe("allowances", () => {
  it("BUD-009 know what the other nodes had spent when the bank last answered", async () => {
    const { share, granted, state } = open();
    expect(share().spentElsewhereMicrocents).toBe(microcents(0));
    state.elsewhere = 700;
    await granted();
    expect(share().spentElsewhereMicrocents).toBe(microcents(700));
  });

  it("admit nothing before the bank has granted something, and ask it once", async () => {
    const { share, granted, asked } = open();
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
    const { share, granted, asked, account } = open();
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
    const { share, granted, asked, account } = open();
    await granted();
    account.settle(microcents(100));
    for (let call = 0; call < 7; call++) share();
    await endOfTurn();
    expect(asked.slice(1)).toMatchObject([{ awaitedMicrocents: 70, wantedMicrocents: 10 }]);
  });

  it("wait before the bank is asked again, also with a last part that is used up", async () => {
    const { share, granted, asked, account, state } = open();
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
    const { granted, share, state } = open();
    await granted();
    expect(share().neededMicrocents).toBe(microcents(10));
    state.isLast = true;
    state.nowMs = 31_000;
    await granted();
    expect(share().neededMicrocents).toBe(microcents(1));
  });

  it("REL-002 leave nothing to others of what calls in flight have reserved, if spend without admission exceeds the grant", async () => {
    const { allowances, granted, account, asked } = open();
    await granted();
    account.reserve(sure(microcents(60)));
    // Ingested.
    account.settle(microcents(90));
    await allowances.renew();
    expect(asked.at(-1)).toMatchObject({ settledMicrocents: 90, usedMicrocents: 150 });
  });

  it("REL-002 use nothing of a grant from before a time in which the budget did not block", async () => {
    const { granted, share, asked, becomeBlocking, state } = open();
    expect(await granted()).toBe(microcents(100));
    becomeBlocking(7);
    // At the first call, which may come before the report.
    expect(share()).toMatchObject({ limitMicrocents: ZERO_MICROCENTS, mayGrow: true });
    const wakes = state.wakes;
    await eventually("the bank has answered", () => state.wakes > wakes);
    expect(asked.map(({ blockingSinceMs }) => blockingSinceMs)).toEqual([null, 7]);
    expect(asked.at(-1)?.givesBack).toBe(true);
  });

  it("REL-020 admit nothing after the lease has ended, until the bank answers again", async () => {
    const { granted, share, state } = open();
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
    const { allowances, granted, admit, share, state, asked } = open();
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

  it("give back what has not been used for a while, and everything unused at the end", async () => {
    const { allowances, account, granted, state, asked, share } = open();
    await granted();
    account.settle(microcents(30));
    account.reserve(sure(microcents(5)));
    state.nowMs = 10_000;
    await allowances.renew();
    expect(asked.at(-1)).toMatchObject({ givesBack: true, usedMicrocents: microcents(35) });
    expect(share().limitMicrocents).toBe(microcents(35));
    state.granted = 200;
    await granted();
    await allowances.giveBack();
    expect(asked.at(-1)?.givesBack).toBe(true);
  });

  it("REL-002 give back what a lost answer may have granted", async () => {
    const { allowances, granted, state, asked } = open();
    state.isAway = true;
    await granted();
    state.isAway = false;
    state.nowMs = 20_000;
    await allowances.renew();
    expect(asked.length).toBe(2);
    expect(asked.at(-1)).toMatchObject({ givesBack: true, usedMicrocents: 0 });
    // Nothing more to say.
    await allowances.renew();
    expect(asked.length).toBe(2);
  });

  it("REL-002 give back what the bank has kept for calls in flight, although nothing was granted", async () => {
    const { allowances, account, granted, state, asked } = open();
    const call = sure(microcents(700));
    account.reserve(call);
    state.granted = 700;
    state.awaitsReports = true;
    await granted();
    account.release(call);
    state.nowMs = 20_000;
    await allowances.renew();
    expect(asked.at(-1)).toMatchObject({ givesBack: true, usedMicrocents: 0 });
  });

  it("REL-002 give back what they may have used until the bank has taken it from them", async () => {
    const { allowances, account, granted, state, asked } = open();
    await granted();
    account.settle(microcents(80));
    state.granted = 60;
    state.nowMs = 5000;
    await allowances.renew();
    state.nowMs = 20_000;
    await allowances.renew();
    expect(asked.length).toBe(3);
    expect(asked.at(-1)).toMatchObject({ givesBack: true, keptMicrocents: 60, usedMicrocents: 80 });
  });

  it("REL-002 do not give up for a larger call what another call needs that waits for a second budget", async () => {
    const large = { fittingMicrocents: microcents(500), leastMicrocents: microcents(1) };
    for (const isAdmitted of [true, false]) {
      const { allowances, budget, account, granted, state, asked } = open();
      const ask = () => allowances.of(budget, account, large);
      await granted();
      expect(ask()).toMatchObject({ limitMicrocents: 100, isAsked: false, mayGrow: true });
      expect(asked.length).toBe(1);
      if (isAdmitted) allowances.admitted(account);
      else state.nowMs = 50;
      expect(ask()).toMatchObject({ isAsked: true });
    }
  });

  it("REL-002 report immediately what was settled beyond the grant, also while a request is in flight", async () => {
    const { counted, account, asked, state } = open();
    account.settle(microcents(90));
    counted();
    account.settle(microcents(30));
    counted();
    await eventually("both amounts are reported", () => state.wakes === 2);
    expect(asked.map(({ usedMicrocents }) => usedMicrocents)).toEqual([microcents(90), microcents(120)]);
    expect(asked.every(({ wantedMicrocents }) => wantedMicrocents === 0)).toBe(true);
    counted();
    expect(asked.length).toBe(2);
  });

  it("REL-002 report a budget that has changed, even if nothing was spent, with what calls in flight need, and give back the rest", async () => {
    const { allowances, budget, account, asked, state, share } = open();
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
    const { allowances, budget, account, asked, state, share, granted } = open();
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

  it("REL-002 keep what the bank does not know, until it does", async () => {
    const { allowances, counted, account, asked, state } = open();
    state.isAway = true;
    account.settle(microcents(200));
    counted();
    await eventually("the bank did not answer", () => state.wakes === 1);
    state.nowMs = 60_000;
    await allowances.renew();
    state.isAway = false;
    await allowances.renew();
    expect(asked.at(-1)?.usedMicrocents).toBe(microcents(200));
    await allowances.renew();
    expect(asked.length).toBe(3);
  });

  it("REL-002 use nothing of a grant from a higher limit, nor of one that arrives late", async () => {
    const { granted, share, account, asked, changeLimit, state } = open(100_000);
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
    const { account, granted, share, changeLimit, state } = open();
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
    const { granted, share, account, asked, changeLimit, state } = open(100);
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

  it("REL-002 are given back although calls are refused all the time", async () => {
    const { allowances, granted, admit, share, state, asked } = open();
    await granted();
    admit();
    state.nowMs = 9000;
    share();
    state.nowMs = 11_000;
    share();
    await allowances.renew();
    expect(asked.at(-1)).toMatchObject({ givesBack: true });
  });

  it("REL-002 know that a budget is spent only when they hold nothing of it", async () => {
    const { granted, account, isSpent, state } = open();
    state.isSpent = true;
    expect(isSpent()).toBe(false);
    await granted();
    expect(isSpent()).toBe(false);
    account.settle(microcents(100));
    expect(isSpent()).toBe(true);
  });

  it("REL-002 once the whole limit is spent, a call must fit even into the last part", async () => {
    const { granted, share, state } = open();
    Object.assign(state, { isLast: true, isSpent: true });
    await granted();
    expect(share()).toMatchObject({ isSpent: true, neededMicrocents: microcents(10) });
  });

  it("REL-002 stay the same for an account that was dropped and read again", async () => {
    const { allowances, budget, granted, asked, state } = open();
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
    const { granted, share, account, asked } = open();
    await granted();
    account.settle(microcents(95));
    expect(share().limitMicrocents).toBe(microcents(100));
    await endOfTurn();
    expect(asked.length).toBe(2);
    // While the question is under way, nothing of it is left for a smaller call.
    expect(share().limitMicrocents).toBe(microcents(95));
  });

  it("BUD-023 do not ask again at once if the last part is too small for the call", async () => {
    const { allowances, budget, account, state } = open();
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
