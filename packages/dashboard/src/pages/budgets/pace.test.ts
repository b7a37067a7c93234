import { expect, it } from "bun:test";
import { paceOf } from "./pace.ts";

const start = Date.UTC(2026, 10, 16);
const HOUR = 3_600_000;
const day = (spentMicrocents: number, countedFromMs = start) => ({
  period: "daily" as const,
  spentMicrocents,
  limitMicrocents: 1000,
  countedFromMs,
  endsAtMs: start + 24 * HOUR,
});

it("a budget that goes on as before is reached when its remainder is used up", () => {
  expect(paceOf(day(500), start + 6 * HOUR)).toEqual({
    kind: "reaches",
    atMs: start + 12 * HOUR,
    atEndMicrocents: 2000,
  });
});

it("a budget that lasts says what will be used at the end", () => {
  expect(paceOf(day(100), start + 6 * HOUR)).toEqual({ kind: "stays_below", atEndMicrocents: 400 });
  expect(paceOf(day(0), start + 6 * HOUR)).toEqual({ kind: "stays_below", atEndMicrocents: 0 });
});

it("after a reset only what came later counts", () => {
  expect(paceOf(day(500, start + 6 * HOUR), start + 8 * HOUR)).toMatchObject({ atMs: start + 10 * HOUR });
});

it("says nothing about the first hour, nor about a budget that is used up", () => {
  expect(paceOf(day(500), start + HOUR / 2)).toEqual({ kind: "too_early" });
  expect(paceOf(day(1000), start + 6 * HOUR)).toEqual({ kind: "reached" });
});
