import { expect, it } from "bun:test";
import { listableNames } from "./listable-names.ts";

it("lists the names in one order, without those that a list cannot have", () => {
  const names = ["gpt-4o", "o3", "o1", "a,b"];
  expect(listableNames(names)).toEqual(["o1", "o3", "gpt-4o"]);
  expect(listableNames(names.toReversed())).toEqual(["o1", "o3", "gpt-4o"]);
});

it("keeps the query below 8,000 characters, whatever 25 names are, and drops the longest", () => {
  const long = Array.from({ length: 24 }, (_, index) => "%".repeat(200 + index));
  const names = listableNames([...long, "gpt-4o"]);
  expect(encodeURIComponent(names.join(",")).length).toBeLessThanOrEqual(8_000);
  expect(names).toEqual(["gpt-4o", ...long.slice(0, names.length - 1)]);
  expect(names.length).toBeGreaterThan(10);
});
