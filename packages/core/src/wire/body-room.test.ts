import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { BodyRoom } from "./body-room.ts";
import { MAX_BODY_BYTES } from "./request-body.ts";

const MB = 1_000_000;

const REFUSED = expect.objectContaining({ code: "overloaded", headers: { "retry-after": "1" } });

function take(room: BodyRoom, owner: string, ...sizes: number[]): (true | unknown)[] {
  return sizes.map(bytes => {
    try {
      room.take(owner, bytes);
      return true;
    } catch (fault) {
      return fault;
    }
  });
}

describe("BodyRoom", () => {
  it("gives one owner half of the room, and all of them no more than there is", () => {
    const room = new BodyRoom(8 * MB);
    expect(take(room, "a", 3 * MB, 2 * MB, MB)).toEqual([true, REFUSED, true]);
    expect([...take(room, "b", 3 * MB), ...take(room, "c", 2 * MB, MB)]).toEqual([true, REFUSED, true]);
    room.release("a", 3 * MB);
    expect(take(room, "c", 2 * MB)).toEqual([true]);
  });

  it("has room for five of the longest bodies of one owner on the smallest machine", () => {
    const room = BodyRoom.ofMachine(0);
    const longest = Array.from({ length: 6 }, () => MAX_BODY_BYTES);
    expect(take(room, "a", ...longest)).toEqual([true, true, true, true, true, REFUSED]);
    expect(take(room, "b", MAX_BODY_BYTES)).toEqual([true]);
  });

  it("does not count small bodies", () => {
    const room = new BodyRoom(0);
    for (let body = 0; body < 1000; body++) expect(take(room, "a", 65_536)).toEqual([true]);
    expect(take(room, "a", 65_537)).toEqual([REFUSED]);
  });

  it("takes room for as long as it is used, however that ends", async () => {
    const room = new BodyRoom(4 * MB);
    const used = Promise.withResolvers<string>();
    const holding = room.hold("a", 2 * MB, () => used.promise);
    expect(take(room, "a", MB)).toEqual([REFUSED]);
    used.resolve("done");
    expect(await holding).toBe("done");
    await room.hold("a", 2 * MB, () => Promise.reject(new Error("broken"))).catch(() => null);
    expect(take(room, "a", 2 * MB)).toEqual([true]);
  });

  it("gives back what it took, whatever grew or was released in between", () => {
    const size = fc.integer({ min: 0, max: 400_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.array(size))), bodies => {
        const room = new BodyRoom(2 * MB);
        const left = bodies.map(([owner, pieces]) => {
          let bytes = 0;
          try {
            for (const piece of pieces) {
              room.take(owner, bytes + piece, bytes);
              bytes += piece;
            }
          } catch (fault) {
            expect(fault).toEqual(REFUSED);
          }
          return [owner, bytes] as const;
        });
        for (const [owner, bytes] of left) room.release(owner, bytes);
        for (const owner of ["a", "b"]) expect(take(room, owner, MB)).toEqual([true]);
        expect(take(room, "c", 65_537)).toEqual([REFUSED]);
      }),
    );
  });
});
