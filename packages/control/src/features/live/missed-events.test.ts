import { describe, expect, it } from "bun:test";
import { seqOfEvent } from "@tollgate/core/live/live-seq";
import fc from "fast-check";
import { MissedEvents } from "./missed-events.ts";

/** A ledger in which every third event belongs to the scope. */
function startCounting() {
  const asked: [number, number][] = [];
  const missed = new MissedEvents((after, upTo) => {
    asked.push([after, upTo]);
    return Math.floor(upTo / 3) - Math.floor(after / 3);
  });
  const count = (from: number, to: number, limit: number) => {
    const counting = missed.begin(seqOfEvent(from), seqOfEvent(to));
    if (counting === null) return null;
    while (!missed.advance(counting, limit));
    return counting.missed;
  };
  return { asked, count };
}

describe("MissedEvents", () => {
  it("LIVE-004 counts the same as one full scan, whatever was counted before", () => {
    const { count } = startCounting();
    const place = fc.integer({ min: 0, max: 30_000 });
    fc.assert(
      fc.property(place, place, (from, more) => {
        expect(count(from, from + more, 100_000)).toBe(Math.floor((from + more) / 3) - Math.floor(from / 3));
      }),
    );
  });

  it("LIVE-008 stops at the limit, and counts no block of the ledger twice", () => {
    const { asked, count } = startCounting();
    expect(count(0, 900_000, 10_000)).toBeGreaterThan(10_000);
    expect(asked.length).toBeLessThan(20);
    asked.length = 0;
    for (let from = 0; from < 100; from++) count(from, 900_000, 10_000);
    expect(asked).toEqual([]);
    // Only the partial blocks at the beginning and the end are counted again.
    for (let time = 0; time < 10; time++) count(880_001, 900_001, 10_000);
    expect(asked).toHaveLength(20);
    expect(count(0, 1_000_001, 10_000)).toBeNull();
  });
});
