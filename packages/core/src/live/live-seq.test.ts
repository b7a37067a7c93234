import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { eventAtOrBefore, seqOfAlert, seqOfEvent } from "./live-seq.ts";

const ledgerSeq = fc.integer({ min: 0, max: 9_000_000_000 });

describe("the order of the live channel", () => {
  it("LIVE-008 puts an alert after the event it follows, after older alerts, and before the next event", () => {
    fc.assert(
      fc.property(ledgerSeq, fc.integer({ min: 0, max: 999_998 }), (at, taken) => {
        const last = seqOfEvent(at) + taken;
        const seq = seqOfAlert(at, last);
        expect(seq).toBe(last + 1);
        expect(eventAtOrBefore(last + 1)).toBe(at);
        expect(last + 1).toBeLessThan(seqOfEvent(at + 1));
        expect(Number.isSafeInteger(seqOfEvent(at + 1))).toBe(true);
      }),
    );
  });

  it("skips positions of earlier events, and makes an alert wait if none is left", () => {
    expect(seqOfAlert(7, 0)).toBe(7_000_001);
    expect(seqOfAlert(7, 6_999_999)).toBe(7_000_001);
    expect(seqOfAlert(7, 7_999_999)).toBeNull();
    expect(seqOfAlert(8, 7_999_999)).toBe(8_000_001);
  });

  it("LIVE-004 has positions for half a million alerts that no event follows", () => {
    expect(seqOfAlert(7, seqOfEvent(7) + 500_000)).toBe(7_500_001);
  });

  it("finds the last event at or before a position", () => {
    fc.assert(
      fc.property(ledgerSeq, fc.integer({ min: 0, max: 999_999 }), (at, more) => {
        expect(eventAtOrBefore(seqOfEvent(at) + more)).toBe(at);
      }),
    );
  });
});
