import { expect, it } from "bun:test";
import { SumRows } from "./sum-rows.ts";

it("has one row for the same keys, and sorts rows by their keys as numbers", () => {
  const rows = new SumRows(2);
  for (const [first, second] of [
    [10, 2],
    [9, 1],
    [10, -1],
    [10, 2],
  ] as const) {
    const row = rows.row(first, second);
    row[3] = (row[3] ?? 0) + 5;
  }
  expect(rows.sorted()).toEqual([
    [9, 1, 0, 5],
    [10, -1, 0, 5],
    [10, 2, 0, 10],
  ]);
});
