import { describe, expect, it } from "bun:test";
import { RecentLengths } from "./recent-lengths.ts";

const historyOf = (counts: readonly number[]) => {
  const history = new RecentLengths();
  for (const count of counts) history.add(count);
  return history.usual;
};
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe("the usual length of an answer", () => {
  it("is unknown with fewer than eight answers", () => {
    expect([historyOf([]), historyOf(upTo(7))]).toEqual([null, null]);
    expect(historyOf(upTo(8))).not.toBeNull();
  });

  it("is the mean and the spread", () => {
    expect(historyOf([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({ mean: 5, spread: Math.sqrt(32 / 7) });
    expect(historyOf(new Array(20).fill(33))).toEqual({ mean: 33, spread: 0 });
  });

  it("forgets old answers", () => {
    expect(historyOf([...new Array(1000).fill(9000), ...new Array(128).fill(10)])).toEqual({
      mean: 10,
      spread: 0,
    });
  });
});
