import { describe, expect, it } from "bun:test";
import { volumeVersusPower } from "./volume-versus-power.ts";

describe("volume versus power", () => {
  const quick = { margin: 0.1, max_pairs: 500, sample_share: 0.1 };

  it("gives the days until the needed pairs are there, with the interval of the daily mean", () => {
    // 1000 and 3000 calls: mean 2000, 200 sampled a day, 20 of them controls.
    const found = volumeVersusPower({ days: 2, calls: 4000, squaredCalls: 10_000_000 }, quick);
    expect(found.pairsNeeded).toBe(310);
    expect(found.daysToVerdict?.value).toBeCloseTo(310 / 180, 12);
    // Two days alone do not exclude that there are none.
    expect(found.daysToVerdict?.interval).toBeNull();
    const steady = volumeVersusPower({ days: 10, calls: 1000, squaredCalls: 100_000 }, quick);
    expect(steady.pairsPerDay?.value).toBeCloseTo(9, 12);
    expect(steady.daysToVerdict?.value).toBeCloseTo(310 / 9, 12);
    expect(steady.daysToVerdict?.interval?.low).toBeCloseTo(310 / 9, 12);
    expect(steady.daysToVerdict?.interval?.high).toBeCloseTo(310 / 9, 12);
  });

  it("knows nothing of an agent that has no whole day, or no calls", () => {
    expect(volumeVersusPower({ days: 0, calls: 0, squaredCalls: 0 }, quick).callsPerDay).toBeNull();
    expect(volumeVersusPower({ days: 5, calls: 0, squaredCalls: 0 }, quick).daysToVerdict).toBeNull();
  });
});
