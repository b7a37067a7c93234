import { describe, expect, it } from "bun:test";
import { sure } from "@tollgate/core/budgets/expectation";
import { microcents } from "@tollgate/core/money/money";
import { openAllowances } from "../../../../test/support/labs/allowance-lab.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";

describe("allowances", () => {
  it("REL-002 leave nothing to others of what calls in flight have reserved, if spend without admission exceeds the grant", async () => {
    const { allowances, granted, account, asked } = openAllowances();
    await granted();
    account.reserve(sure(microcents(60)));
    // Ingested.
    account.settle(microcents(90));
    await allowances.renew();
    expect(asked.at(-1)).toMatchObject({ settledMicrocents: 90, usedMicrocents: 150 });
  });

  it("give back what has not been used for a while, and everything unused at the end", async () => {
    const { allowances, account, granted, state, asked, share } = openAllowances();
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
    const { allowances, granted, state, asked } = openAllowances();
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
    const { allowances, account, granted, state, asked } = openAllowances();
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
    const { allowances, account, granted, state, asked } = openAllowances();
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

  it("REL-002 report immediately what was settled beyond the grant, also while a request is in flight", async () => {
    const { counted, account, asked, state } = openAllowances();
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

  it("REL-002 keep what the bank does not know, until it does", async () => {
    const { allowances, counted, account, asked, state } = openAllowances();
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

  it("REL-002 are given back although calls are refused all the time", async () => {
    const { allowances, granted, admit, share, state, asked } = openAllowances();
    await granted();
    admit();
    state.nowMs = 9000;
    share();
    state.nowMs = 11_000;
    share();
    await allowances.renew();
    expect(asked.at(-1)).toMatchObject({ givesBack: true });
  });
});
