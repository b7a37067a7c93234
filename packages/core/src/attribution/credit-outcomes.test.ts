import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { attributionModels } from "./attribution-models.ts";
import { type CreditableOutcome, creditOutcomes } from "./credit-outcomes.ts";

const outcome = (part: Partial<CreditableOutcome>): CreditableOutcome => ({
  id: "o",
  outcomeType: "revenue",
  success: null,
  valueCents: 1000,
  agentId: null,
  firstAgentId: null,
  lastAgentId: null,
  ...part,
});

describe("credit for outcomes", () => {
  // A at 10:00, B at 10:05, A at 10:09, C at 10:20; an outcome at 10:15 that names B.
  const worked = outcome({ agentId: "B", firstAgentId: "A", lastAgentId: "A" });
  it.each([
    ["direct", "B"],
    ["first_touch", "A"],
    ["last_touch", "A"],
  ] as const)("ROI-005 %s credits %s with all of it", (model, agentId) => {
    expect(creditOutcomes([worked], model).byAgent).toMatchObject([
      { agentId, outcomes: 1, valueCents: 1000 },
    ]);
  });

  it("ROI-005 an outcome without a session is credited to the agent it names, by every model", () => {
    for (const model of attributionModels) {
      expect(
        creditOutcomes([outcome({ agentId: "B" })], model).byAgent.map(({ agentId }) => agentId),
      ).toEqual(["B"]);
    }
  });

  it("ROI-005 an outcome that names only a session is credited by `direct` to the last agent of it", () => {
    const ofRun = outcome({ firstAgentId: "A", lastAgentId: "C" });
    expect(creditOutcomes([ofRun], "direct")).toMatchObject({
      byAgent: [{ agentId: "C", valueCents: 1000 }],
      unattributed: { outcomes: 0 },
    });
  });

  it("ROI-008 an outcome that names no agent is counted, but not credited", () => {
    expect(creditOutcomes([outcome({})], "direct")).toMatchObject({
      outcomes: 1,
      valueCents: 1000,
      unattributed: { outcomes: 1, valueCents: 1000 },
      byAgent: [],
    });
  });

  it("ROI-005 credits every outcome exactly once: credited and uncredited values add up to the total", () => {
    const agent = fc.option(fc.constantFrom("A", "B", "C"));
    const any = fc.record({
      id: fc.uuid(),
      outcomeType: fc.option(fc.constantFrom("revenue", "quality")),
      success: fc.option(fc.boolean()),
      valueCents: fc.option(fc.integer({ min: -1_000_000, max: 1_000_000 })),
      agentId: agent,
      firstAgentId: agent,
      lastAgentId: agent,
    });
    fc.assert(
      fc.property(fc.array(any), fc.constantFrom(...attributionModels), (outcomes, model) => {
        const all = creditOutcomes(outcomes, model);
        const value = outcomes
          .filter(({ success }) => success !== false)
          .reduce((sum, { valueCents }) => sum + (valueCents ?? 0), 0);
        const sum = (lines: readonly { outcomes: number; valueCents: number }[]) => ({
          outcomes: lines.reduce((total, line) => total + line.outcomes, 0),
          valueCents: lines.reduce((total, line) => total + line.valueCents, 0),
        });
        const whole = { outcomes: outcomes.length, valueCents: value };
        expect(sum([...all.byAgent, all.unattributed])).toEqual(whole);
        expect(sum(all.byType)).toEqual(whole);
        // The numbers are the same when querying a single agent.
        for (const { agentId, ...credit } of all.byAgent) {
          expect(creditOutcomes(outcomes, model, agentId)).toMatchObject(credit);
        }
      }),
    );
  });
});
