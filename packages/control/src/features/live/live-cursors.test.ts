import { describe, expect, it } from "bun:test";
import { seqOfEvent } from "@tollgate/core/live/live-seq";
import { LEDGER_START, type LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import { SealedCursors } from "../../kernel/sealed-cursors.ts";
import { LiveCursors } from "./live-cursors.ts";

const sealed = new SealedCursors("a secret of positions");
const scope = { orgId: "one", mode: "live" } as const;

/** Cursors over a ledger with these events, the first of which has seq 1. */
function cursorsOver(ids: readonly string[], of: typeof sealed = sealed) {
  const eventUpTo = (seq: number): LedgerPosition => {
    const last = Math.min(seq, ids.length);
    return last === 0 ? LEDGER_START : { seq: last, eventId: ids[last - 1] ?? null };
  };
  return new LiveCursors(of, scope, eventUpTo);
}

describe("a position of the live channel", () => {
  const before = cursorsOver(["a", "b", "c", "d"]);
  const restored = cursorsOver(["a", "b", "x", "y", "z"]);

  it("is read back: of an event, of an alert after one, and of an empty ledger", () => {
    expect(before.open(before.sealEvent(seqOfEvent(3), "c"))).toBe(seqOfEvent(3));
    expect(before.open(before.seal(seqOfEvent(3) + 7))).toBe(seqOfEvent(3) + 7);
    const empty = cursorsOver([]);
    expect(empty.open(empty.seal(0))).toBe(0);
    expect(before.open(empty.seal(5))).toBe(5);
  });

  it("is the same, however it was sealed", () => {
    expect(before.seal(seqOfEvent(2))).toBe(before.sealEvent(seqOfEvent(2), "b"));
  });

  it("is refused by a restored ledger that has another event there, and accepted before that", () => {
    expect(restored.open(before.seal(seqOfEvent(3)))).toBeNull();
    expect(restored.open(before.seal(seqOfEvent(4) + 1))).toBeNull();
    expect(restored.open(before.seal(seqOfEvent(2) + 1))).toBe(seqOfEvent(2) + 1);
  });

  it("is refused if it names no event, as those of older versions", () => {
    expect(before.open(sealed.seal(scope, "live", { at: 0, seq: seqOfEvent(3) }))).toBeNull();
  });

  it("is refused if it is of another secret, or a number", () => {
    expect(before.open(cursorsOver(["a"], new SealedCursors("another")).seal(seqOfEvent(1)))).toBeNull();
    expect(before.open(seqOfEvent(1))).toBeNull();
  });
});
