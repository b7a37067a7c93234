import { describe, expect, it } from "bun:test";
import { createCatalogue } from "../pricing/catalogue.ts";
import { ArmSums } from "./arm-sums.ts";
import { errorGuard } from "./error-guard.ts";
import { promotionOf } from "./promotion.ts";
import { resolveTreatment } from "./resolve-treatment.ts";

describe("the error guard", () => {
  it.each([
    [0, 0, 0, 0, false],
    [0, 99, 0, 1000, false],
    [0, 100, 0, 1000, true],
    [5, 200, 45, 1800, true],
    [20, 1000, 10, 1000, true],
    [21, 1000, 10, 1000, false],
    // The same rate, but too few calls to be certain.
    [20, 100, 200, 1000, false],
    [40, 100, 900, 1000, true],
  ])(
    "EXP-005 with %p of %p failed in the treatment and %p of %p in the control: passes %p",
    (a, n, b, m, passes) => {
      const guard = errorGuard({ treatment: armOf(a, n), control: armOf(b, m) });
      expect(guard.passes).toBe(passes);
      expect(guard.message).not.toBe("");
    },
  );

  it("EXP-005 counts calls of a session that fail or succeed together once, and needs 30 sessions", () => {
    const guardOf = (sessions: number, failed = 0) =>
      errorGuard({ control: sessionsOf(sessions, 100, 0), treatment: sessionsOf(sessions, 100, failed) });
    expect(guardOf(1)).toMatchObject({ passes: false, message: "Each arm needs 30 sessions" });
    expect(guardOf(50)).toMatchObject({ passes: false });
    // As of 30 calls, not of 3,000.
    expect(guardOf(30).upper_bound).toBeCloseTo(
      errorGuard({ control: armOf(0, 30), treatment: armOf(0, 30) }).upper_bound ?? 0,
      12,
    );
    expect(guardOf(100)).toMatchObject({ passes: true });
    expect(guardOf(200, 2)).toMatchObject({ passes: true });
  });
});

describe("a promotion", () => {
  const guard = (passes: boolean) => ({ passes, difference: 0, upper_bound: 0, message: "the guard" });
  it.each([
    ["a person", true, "treatment", true, true],
    ["a person", true, "treatment", false, true],
    ["a person", false, "treatment", true, false],
    ["a person", true, "control", true, false],
    ["a person", true, null, true, false],
    ["a program", true, "treatment", true, true],
    ["a program", true, "treatment", false, false],
    ["a program", false, "treatment", true, false],
  ] as const)(
    "EXP-005 EXP-007 ended by %s, promotion requested %p, won by %p, guard %p: %p",
    (who, isAsked, winner, passes, promotes) => {
      const results = { winner, error_guard: guard(passes), message: "why" };
      const promotion = promotionOf(results, {
        isByPerson: who === "a person",
        isAsked,
        treatmentModel: "gpt-4o",
      });
      expect(promotion.promotes).toBe(promotes);
      expect(promotion.message.includes("stays as it is")).toBe(!promotes);
    },
  );
});

describe("the treatment's model", () => {
  const catalogue = createCatalogue();
  it.each([
    ["gpt-4o", "gpt-4o"],
    ["openai/gpt-4o", "gpt-4o"],
    ["GPT-4o", "gpt-4o"],
    ["claude-sonnet-4-5", "claude-sonnet-4-5"],
  ])("%p is routed as %p", (name, routed) => {
    expect(resolveTreatment(name, catalogue, new Date("2026-11-15"))).toBe(routed);
  });

  it.each([
    "gpt-99",
    "anthropic/gpt-4o",
    "openai/",
    "/gpt-4o",
    "nobody/gpt-4o",
    "",
    "constructor",
    "text-embedding-3-small",
  ])("EXP-009 %p is refused: no provider serves it to agents at a known price", name => {
    expect(() => resolveTreatment(name, catalogue, new Date("2026-11-15"))).toThrow("treatment_model");
  });
});

function armOf(failed: number, calls: number): ArmSums {
  const sums = new ArmSums();
  for (let n = 0; n < calls; n += 1) sums.add(n < failed ? 1 : 0);
  return sums;
}

/** The first `failed` sessions fail with every call. */
function sessionsOf(sessions: number, calls: number, failed: number): ArmSums {
  const sums = new ArmSums();
  for (let session = 0; session < sessions; session += 1) {
    const error = session < failed ? 1 : 0;
    for (let call = 0; call < calls; call += 1) sums.add(error, { samples: call, sum: call * error });
  }
  return sums;
}
