import { describe, expect, it } from "bun:test";
import { ineligibleReason } from "./estimator-eligibility.ts";

describe("the eligibility of evidence", () => {
  const ready = { isInactive: false, calls: 9, daysToVerdict: 14, sessionCalls: 5, joinedSessions: 1 };
  it.each([
    ["shadow", {}, null],
    ["shadow", { daysToVerdict: 14.1 }, "insufficient_volume"],
    ["shadow", { daysToVerdict: Number.POSITIVE_INFINITY }, "insufficient_volume"],
    ["shadow", { daysToVerdict: null }, null],
    ["shadow", { calls: 0 }, "no_calls"],
    ["experiment", { daysToVerdict: 99 }, null],
    ["experiment", { sessionCalls: 0 }, "missing_sessions"],
    ["experiment", { joinedSessions: 0 }, "missing_outcomes"],
    ["experiment", { isInactive: true }, "agent_inactive"],
    ["captured", { isInactive: true, calls: 0 }, null],
  ] as const)("LOOP-004 of %s with %p: %p", (mode, change, reason) => {
    expect(ineligibleReason(mode, { ...ready, ...change })).toBe(reason);
  });
});
