import { describe, expect, it } from "bun:test";
import { idleAgent } from "./idle-agent.ts";
import { defaultAlertPreferences } from "./preferences.ts";

const AT = Date.parse("2026-11-15T08:30:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const preferences = defaultAlertPreferences;

describe("idle_agent", () => {
  const agent = (idleMs: number, isExcepted = false, learnedMs = idleMs) => ({
    agentId: "a1",
    agentKey: "writer",
    keyId: null,
    customerId: null,
    lastCallAt: AT - idleMs,
    learnedAt: AT - learnedMs,
    isExcepted,
    now: AT,
  });

  it.each([
    [24 * HOUR - 1, false],
    [24 * HOUR, true],
    [24 * HOUR + 1, true],
  ])("ALERT-011 after %p ms without a call it fires: %p", (idle, fires) => {
    expect(idleAgent(agent(idle), preferences) !== null).toBe(fires);
  });

  it.each([
    [24, 10 * MINUTE - 1, false],
    [24, 10 * MINUTE, true],
    // The grace period never exceeds the threshold.
    [0.01, 36_000, true],
  ])("ALERT-011 above %p hours, first seen %p ms ago, it fires: %p", (threshold_hours, learnedMs, fires) => {
    const strict = { ...preferences, idle_agent: { ...preferences.idle_agent, threshold_hours } };
    expect(idleAgent(agent(300 * HOUR, false, learnedMs), strict) !== null).toBe(fires);
  });

  it("has severity info, fires once per silence, and never for agents that are not expected to call", () => {
    expect(idleAgent(agent(25 * HOUR), preferences)).toMatchObject({
      ruleKey: "idle_agent:a1",
      period: "2026-11-14T07:30:00.000Z",
      severity: "info",
      agentId: "a1",
      message: "The agent writer has not called since 2026-11-14 07:30:00 UTC",
      metadata: { agent_key: "writer", idle_hours: 25, threshold_hours: 24 },
    });
    expect(idleAgent(agent(25 * HOUR, true), preferences)).toBeNull();
  });
});
