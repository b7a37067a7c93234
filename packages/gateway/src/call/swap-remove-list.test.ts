import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { type Indexed, SwapRemoveList } from "./swap-remove-list.ts";

describe("SwapRemoveList", () => {
  it("holds what a Set would hold after any sequence of adds and removes, and ignores a second remove", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 7 }), { maxLength: 60 }), steps => {
        const people: Indexed[] = Array.from({ length: 8 }, () => ({ index: -1 }));
        const crowd = new SwapRemoveList<Indexed>();
        const expected = new Set<Indexed>();
        for (const step of steps) {
          const one = people[step];
          if (one === undefined) continue;
          if (expected.delete(one)) {
            crowd.remove(one);
            crowd.remove(one);
          } else {
            expected.add(one);
            crowd.add(one);
          }
          expect(new Set(crowd.all())).toEqual(expected);
          expect(crowd.size).toBe(expected.size);
        }
      }),
    );
  });
});
