import { describe, expect, it } from "bun:test";
import { CHECK_MS, RefreshPace } from "./refresh-pace.ts";

describe("when a page asks again", () => {
  it("asks at once if the last refresh was long ago, and then rests", () => {
    const pace = new RefreshPace(0);
    expect(pace.waitMs(false, 60_000)).toBe(0);
    pace.refreshed(60_000);
    expect(pace.waitMs(false, 60_300)).toBe(1700);
    expect(pace.waitMs(false, 62_000)).toBe(0);
  });

  it("never asks while answers are on their way, and rests longer the longer they took", () => {
    const pace = new RefreshPace(0);
    pace.refreshed(10_000);
    for (let nowMs = 10_300; nowMs <= 11_300; nowMs += CHECK_MS)
      expect(pace.waitMs(true, nowMs)).toBe(CHECK_MS);
    // 900 ms of answering, five times as long a rest.
    expect(pace.waitMs(false, 11_500)).toBe(11_200 + 4500 - 11_500);
    expect(pace.waitMs(false, 15_700)).toBe(0);
  });

  it("a page opened long after the last refresh shows soon what happened during its first answers", () => {
    const pace = new RefreshPace(0);
    expect(pace.waitMs(true, 50_000)).toBe(CHECK_MS);
    expect(pace.waitMs(true, 50_300)).toBe(CHECK_MS);
    expect(pace.waitMs(false, 50_600)).toBe(1700);
  });

  it("does not take the time between two answers for work", () => {
    const pace = new RefreshPace(0);
    pace.waitMs(true, 1000);
    pace.waitMs(false, 1300);
    pace.waitMs(true, 3000);
    expect(pace.waitMs(false, 3300)).toBe(1700);
  });

  it("rests no longer than half a minute", () => {
    const pace = new RefreshPace(0);
    pace.waitMs(true, 0);
    pace.waitMs(true, 100_000);
    expect(pace.waitMs(false, 100_000)).toBe(30_000);
  });
});
