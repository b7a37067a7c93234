import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { SessionMeans } from "./session-means.ts";

const WINDOW_MS = 100;

function valuesOf(pairs: readonly (readonly [atMs: number, session: string | null, score: number])[]) {
  const means = new SessionMeans(WINDOW_MS);
  const values: number[] = [];
  const enter = (value: number) => values.push(value);
  const isCounted = pairs.map(([recordedAtMs, sessionId, score]) =>
    means.add({ recordedAtMs, sessionId, score }, enter),
  );
  return { means, values, enter, isCounted };
}

describe("the values of pairs", () => {
  it("are the scores of pairs without a session, immediately", () => {
    expect(
      valuesOf([
        [0, null, 1],
        [0, null, -1],
      ]).values,
    ).toEqual([1, -1]);
  });

  it("are the mean of a session's pairs, once its window is over", () => {
    const { values } = valuesOf([
      [0, "a", 1],
      [50, "a", 0],
      [99, "b", -1],
      [100, null, 0.5],
    ]);
    expect(values).toEqual([0.5, 0.5]);
  });

  it("are final: a pair after the window does not count", () => {
    const { values, isCounted, means, enter } = valuesOf([
      [0, "a", 1],
      [100, "a", -1],
      [300, "a", -1],
    ]);
    means.closeAll(enter);
    expect(values).toEqual([1]);
    expect(isCounted).toEqual([true, false, false]);
  });

  it("enter in the order in which sessions started, however long they are", () => {
    const { values } = valuesOf([
      [0, "long", 1],
      [10, "short", -1],
      [90, "long", 1],
      [500, null, 0],
    ]);
    expect(values).toEqual([1, -1, 0]);
  });

  it("enter as they are at the end", () => {
    const { means, values, enter } = valuesOf([
      [0, "a", 1],
      [10, "a", 0],
      [20, "b", -1],
    ]);
    expect(values).toEqual([]);
    means.closeAll(enter);
    expect(values).toEqual([0.5, -1]);
  });

  it("do not depend on how often they are evaluated between the pairs", () => {
    const pairs = fc.array(
      fc.tuple(fc.nat(60), fc.option(fc.constantFrom("a", "b", "c", "d")), fc.constantFrom(-1, -0.5, 0, 1)),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(pairs, steps => {
        let atMs = 0;
        const timed = steps.map(([waitMs, session, score]) => {
          atMs += waitMs;
          return [atMs, session, score] as const;
        });
        const once = valuesOf(timed);
        once.means.closeAll(once.enter);
        const watched = new SessionMeans(WINDOW_MS);
        const values: number[] = [];
        const enter = (value: number) => values.push(value);
        for (const [index, [recordedAtMs, sessionId, score]] of timed.entries()) {
          watched.add({ recordedAtMs, sessionId, score }, enter);
          const nextMs = timed[index + 1]?.[0] ?? recordedAtMs;
          for (let nowMs = recordedAtMs; nowMs <= nextMs; nowMs += 7) watched.closeUntil(nowMs, enter);
        }
        watched.closeAll(enter);
        expect(values).toEqual(once.values);
      }),
    );
  });
});
