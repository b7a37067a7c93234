import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { TokenBucket } from "./token-bucket.ts";

describe("TokenBucket", () => {
  it("LIVE-008 admits its burst immediately, then at most its rate, with any pauses", () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 50, maxLength: 300 });
    fc.assert(
      fc.property(pauses, waits => {
        const admissions = new TokenBucket(5, 10);
        let now = 0;
        let admitted = 0;
        for (const wait of waits) {
          now += wait;
          if (admissions.admit(now) === 0) admitted++;
          expect(admitted).toBeLessThanOrEqual(5 + (now * 10) / 1000);
        }
      }),
    );
  });

  it("reports how long until the next admission", () => {
    const admissions = new TokenBucket(1, 10);
    expect(admissions.admit(0)).toBe(0);
    expect(admissions.admit(0)).toBe(100);
    expect(admissions.admit(60)).toBeCloseTo(40);
    expect(admissions.admit(101)).toBe(0);
  });
});
