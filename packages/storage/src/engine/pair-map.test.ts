import { expect, it } from "bun:test";
import { PairMap } from "./pair-map.ts";

it("keeps a value for each pair of keys, and tells pairs apart whose texts would be equal when joined", () => {
  const map = new PairMap<string, string, number>();
  map.set("a", "b c", 1);
  map.set("a b", "c", 2);
  map.set("a", "b c", 3);
  expect([map.get("a", "b c"), map.get("a b", "c"), map.get("a", "c")]).toEqual([3, 2, undefined]);
  expect([map.has("a", "b c"), map.has("b", "b c")]).toEqual([true, false]);
  expect([map.getOrAdd("a", "b c", () => 9), map.getOrAdd("a", "c", () => 4)]).toEqual([3, 4]);
  expect([map.size, [...map.values()].toSorted()]).toEqual([3, [2, 3, 4]]);
  map.clear();
  expect([map.size, map.get("a", "b c")]).toEqual([0, undefined]);
});
