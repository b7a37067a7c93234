import { expect, it } from "bun:test";
import { checkLimit, periodsOf } from "./limit-check.ts";

const day = (date: string, costMicrocents: number, unpricedCalls = 0) => ({
  date,
  costMicrocents,
  unpricedCalls,
});
const days = [day("2026-10-30", 100), day("2026-10-31", 300, 2), day("2026-11-01", 50)];

it("days are added up by UTC month", () => {
  expect(periodsOf(days, "monthly")).toEqual([day("2026-10-01", 400, 2), day("2026-11-01", 50)]);
});

it("a limit is compared with what was spent in each period", () => {
  expect(checkLimit(days, 80)).toMatchObject({ periods: 3, beyondMicrocents: 240, totalMicrocents: 450 });
  expect(checkLimit(days, 80).over.map(({ date }) => date)).toEqual(["2026-10-30", "2026-10-31"]);
  expect(checkLimit(days, 300)).toMatchObject({
    over: [],
    beyondMicrocents: 0,
    most: { costMicrocents: 300 },
  });
});
