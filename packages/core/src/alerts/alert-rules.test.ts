import { expect, it } from "bun:test";
import { allAlertsOff } from "../../../../test/support/all-alerts-off.ts";
import { alertRules } from "./alert-rules.ts";
import { alertTypes } from "./alert-types.ts";

const AT = Date.parse("2026-11-15T08:30:00Z");

it("ALERT-014 reports nothing of a disabled type", () => {
  const far = { calls: 1000, errors: 1000, usual: { calls: 24, hours: 24 } };
  const drafts = [
    ...alertRules.day.map(rule =>
      rule({ day: AT, spentMicrocents: 1e9, unpricedCalls: 0, daysBefore: [1, 1, 1] }, allAlertsOff),
    ),
    ...alertRules.lastHour.map(rule => rule({ at: AT, ...far }, allAlertsOff)),
    ...alertRules.agent.map(rule =>
      rule(
        { agentId: "a", agentKey: "a", lastCallAt: 0, learnedAt: 0, isExcepted: false, now: AT },
        allAlertsOff,
      ),
    ),
    ...alertRules.budget.map(rule =>
      rule(
        {
          id: "b",
          agentId: null,
          agentKey: null,
          keyId: null,
          customerId: null,
          period: "daily",
          periodId: "2026-11-15",
          since: 0,
          limitMicrocents: 1,
          warningPct: 1,
          enforcementMode: "alert_only",
          spentMicrocents: 9,
          unpricedCalls: 0,
        },
        allAlertsOff,
      ),
    ),
  ];
  expect(drafts).toHaveLength(alertTypes.length + 1);
  expect(drafts.every(draft => draft === null)).toBe(true);
});
