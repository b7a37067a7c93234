import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { type AgentRules, armOf, decideModel, type Split, type Target } from "./steering.ts";

const asked: Target = { provider: "openai", model: "asked" };
const at = 1_000_000;
const split: Split = { experimentId: "e", treatmentModel: "new", trafficPct: 50, endsAtMs: at + 1 };
const nothing: AgentRules = { split: null, model: null, maxOutputTokens: null, cachesPrompt: false };
const everywhere = (model: string): Target => ({ provider: "anthropic", model });
const nowhere = () => null;
const call = { id: "call", sessionId: null, asked, atMs: at };
const sessions = Array.from({ length: 200 }, (_, n) => `session-${n}`);
const treated = sessions.filter(id => armOf(split, id) === "treatment");
const others = sessions.filter(id => armOf(split, id) === "control");
const [treatedSession = ""] = treated;
const [controlSession = ""] = others;

describe("the model of a call", () => {
  const cases: [
    string,
    Partial<AgentRules>,
    (model: string) => Target | null,
    { sessionId?: string; atMs?: number; asked?: Target },
    object,
  ][] = [
    ["the one asked for", {}, everywhere, {}, { target: asked, assignment: null, isSwitchSkipped: false }],
    ["OPT-005 the one switched to", { model: "m" }, everywhere, {}, { target: everywhere("m") }],
    [
      "EXP-009 the requested one, if the switched model cannot serve it",
      { model: "m" },
      nowhere,
      {},
      { target: asked, isSwitchSkipped: true },
    ],
    [
      "EXP-001 the treatment, for its arm",
      { split, model: "m" },
      everywhere,
      { sessionId: treatedSession },
      {
        target: everywhere("new"),
        assignment: { experimentId: "e", arm: "treatment" },
        isSwitchSkipped: false,
      },
    ],
    [
      "EXP-001 the requested one, for the control arm",
      { split },
      everywhere,
      { sessionId: controlSession },
      { target: asked, assignment: { experimentId: "e", arm: "control" } },
    ],
    [
      "the switched model, for the control arm of a switched agent",
      { split, model: "m" },
      everywhere,
      { sessionId: controlSession },
      { target: everywhere("m"), assignment: { experimentId: "e", arm: "control" } },
    ],
    [
      "EXP-009 the requested one and no arm, if the treatment cannot serve it, whichever arm it would have been",
      { split },
      nowhere,
      { sessionId: controlSession },
      { target: asked, assignment: null, isSwitchSkipped: false },
    ],
    [
      "EXP-009 the treatment and no arm, if that was requested, whichever arm it would have been",
      { split },
      everywhere,
      { sessionId: controlSession, asked: everywhere("new") },
      { target: everywhere("new"), assignment: null, isSwitchSkipped: false },
    ],
    [
      "the treatment and no arm, if the agent has been switched to it",
      { split, model: "new" },
      everywhere,
      { sessionId: treatedSession },
      { target: everywhere("new"), assignment: null, isSwitchSkipped: false },
    ],
    [
      "the switched model, if only the treatment cannot serve it",
      { split, model: "m" },
      model => (model === "new" ? null : everywhere(model)),
      { sessionId: treatedSession },
      { target: everywhere("m"), assignment: null, isSwitchSkipped: false },
    ],
    [
      "EXP-004 the requested one, once the experiment has ended",
      { split },
      everywhere,
      { sessionId: treatedSession, atMs: split.endsAtMs },
      { target: asked, assignment: null },
    ],
  ];
  for (const [what, rules, reach, change, expected] of cases) {
    it(what, () => {
      expect(decideModel({ ...nothing, ...rules }, { ...call, ...change }, reach)).toMatchObject(expected);
    });
  }
});

describe("the arm of a call", () => {
  // Literals: experiments that run across an upgrade keep their sessions in their arms.
  it.each([
    ["0b5c", "session-0", 50, "treatment"],
    ["1f7e", "session-0", 50, "control"],
    ["0b5c", "session-1", 50, "treatment"],
    ["1f7e", "session-1", 50, "treatment"],
    ["0b5c", "session-3", 10, "control"],
    ["0b5c", "0199a1b2-0000-7000-8000-000000000001", 37, "treatment"],
    ["0b5c", "0199a1b2-0000-7000-8000-000000000002", 37, "control"],
    ["0b5c", "kunde-ü@example.com", 50, "control"],
  ] as const)(
    "EXP-001 never changes: in %s, that of %s at %i %% is the %s",
    (experimentId, session, trafficPct, arm) => {
      expect(armOf({ experimentId, trafficPct }, session)).toBe(arm);
    },
  );

  for (const trafficPct of [1, 10, 37, 50]) {
    for (const [kind, idOf] of [
      ["counted sessions", (n: number) => `session-${n}`],
      ["ids of calls", () => Bun.randomUUIDv7()],
      ["e-mail addresses", (n: number) => `${n}@example.com`],
    ] as const) {
      it(`EXP-001 is the treatment for ${trafficPct} % of ${kind}, within five deviations`, () => {
        const total = 40_000;
        let count = 0;
        for (let n = 0; n < total; n++) {
          if (armOf({ experimentId: "0b5c", trafficPct }, idOf(n)) === "treatment") count++;
        }
        const share = trafficPct / 100;
        expect(Math.abs(count - total * share)).toBeLessThan(5 * Math.sqrt(total * share * (1 - share)));
      });
    }
  }

  it("stays the treatment when the share increases", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 99 }), (subject, trafficPct) => {
        if (armOf({ experimentId: "e", trafficPct }, subject) === "control") return;
        expect(armOf({ experimentId: "e", trafficPct: trafficPct + 1 }, subject)).toBe("treatment");
      }),
    );
  });

  it("is drawn again in every experiment", () => {
    const again = treated.filter(id => armOf({ ...split, experimentId: "other" }, id) === "treatment").length;
    expect(again).toBeWithin(treated.length * 0.3, treated.length * 0.7);
  });
});
