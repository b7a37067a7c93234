import { describe, expect, it } from "bun:test";
import { projectMonthlyCalls } from "./project-monthly-calls.ts";

describe("the calls that a month comes to", () => {
  it.each([
    // Five calls in total, in the first minute of the month: five a day, not five a minute.
    ["2026-11-01T00:01:00Z", { thisMonth: 5, recent: 5, firstCallAt: "2026-11-01T00:00:00Z" }, 155],
    // The pace continues across the start of the month.
    ["2026-11-01T00:00:00Z", { thisMonth: 0, recent: 700, firstCallAt: "2026-01-01T00:00:00Z" }, 3000],
    // Earlier calls of the month count as they are, not as a pace.
    ["2026-11-21T00:00:00Z", { thisMonth: 9000, recent: 0, firstCallAt: "2026-11-01T00:00:00Z" }, 9000],
    ["2026-11-21T00:00:00Z", { thisMonth: 900, recent: 70, firstCallAt: "2026-11-01T00:00:00Z" }, 1000],
    // Only three days are known: the pace is based on those.
    ["2026-11-21T00:00:00Z", { thisMonth: 30, recent: 30, firstCallAt: "2026-11-18T00:00:00Z" }, 130],
    ["2026-11-30T23:59:59Z", { thisMonth: 900, recent: 70, firstCallAt: "2026-11-01T00:00:00Z" }, 900],
  ])("ROI-007 at %s with %p are %p", (now, { firstCallAt, ...calls }, projected) => {
    expect(projectMonthlyCalls({ ...calls, firstCallAtMs: Date.parse(firstCallAt) }, Date.parse(now))).toBe(
      projected,
    );
  });

  it("ROI-007 are none without a call", () => {
    expect(projectMonthlyCalls({ thisMonth: 0, recent: 0, firstCallAtMs: null }, 0)).toBe(0);
  });
});
