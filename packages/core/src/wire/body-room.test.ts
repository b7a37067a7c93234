import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { BodyRoom } from "./body-room.ts";
import { MAX_BODY_BYTES } from "./request-body.ts";

const MB = 1_000_000;

describe("BodyRoom", () => {
  it("gives one owner half of the room, and all of them no more than there is", () => {
    const room = new BodyRoom(8 * MB);
    expect([room.take("a", 3 * MB), room.take("a", 2 * MB), room.take("a", MB)]).toEqual([true, false, true]);
    expect([room.take("b", 3 * MB), room.take("c", 2 * MB), room.take("c", MB)]).toEqual([true, false, true]);
    room.release("a", 3 * MB);
    expect(room.take("c", 2 * MB)).toBe(true);
  });

  it("has room for four of the longest bodies of one owner on the smallest machine", () => {
    const room = BodyRoom.ofMachine(0);
    for (let body = 0; body < 4; body++) expect(room.take("a", MAX_BODY_BYTES)).toBe(true);
    expect(room.take("a", MAX_BODY_BYTES)).toBe(false);
    expect(room.take("b", MAX_BODY_BYTES)).toBe(true);
  });

  it("does not count small bodies", () => {
    const room = new BodyRoom(0);
    for (let body = 0; body < 1000; body++) expect(room.take("a", 65_536)).toBe(true);
    expect(room.take("a", 65_537)).toBe(false);
  });

  it("gives back what it took, whatever grew, was kept or was released in between", () => {
    const size = fc.integer({ min: 0, max: 400_000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.array(size), fc.boolean())),
        bodies => {
          const room = new BodyRoom(2 * MB);
          const left = bodies.map(([owner, pieces, isKept]) => {
            let bytes = 0;
            for (const piece of pieces) {
              if (!room.take(owner, bytes + piece, bytes)) break;
              bytes += piece;
            }
            if (isKept) room.keep(owner, bytes);
            return [owner, bytes, isKept] as const;
          });
          for (const [owner, bytes, isKept] of left) {
            room.release(owner, bytes);
            if (isKept) room.release(owner, bytes);
          }
          for (const owner of ["a", "b"]) expect(room.take(owner, MB)).toBe(true);
          expect(room.take("c", 65_537)).toBe(false);
        },
      ),
    );
  });
});
