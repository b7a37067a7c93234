import { describe, expect, it } from "bun:test";
import { DAY_MS } from "../time/durations.ts";
import { type AgentActivity, agentStatus } from "./status.ts";

const now = Date.parse("2026-11-15T12:00:00Z");
const lively: AgentActivity = { isArchived: false, lastCallAt: now, recentCalls: 0, recentErrors: 0 };

describe("an agent's status", () => {
  it.each([
    [{}, "active"],
    [{ recentCalls: 4, recentErrors: 4 }, "active"],
    [{ recentCalls: 5, recentErrors: 2 }, "active"],
    [{ recentCalls: 5, recentErrors: 3 }, "error"],
    [{ recentCalls: 6, recentErrors: 3 }, "error"],
    [{ lastCallAt: now - DAY_MS }, "idle"],
    [{ lastCallAt: now - DAY_MS + 1 }, "active"],
    [{ lastCallAt: null }, "idle"],
    [{ isArchived: true, recentCalls: 9, recentErrors: 9 }, "archived"],
    [{ isArchived: true, lastCallAt: null }, "archived"],
  ] as const)("WEB-003 %j is %s", (change, status) => {
    expect(agentStatus({ ...lively, ...change }, now)).toBe(status);
  });
});
