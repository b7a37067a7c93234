import { expect, it } from "bun:test";
import { KeyedRows } from "./keyed-rows.ts";

it("has one row for the same keys, and sorts rows by their keys as numbers", () => {
  const rows = new KeyedRows((...keys) => [...keys, 0]);
  for (const [third, fourth] of [
    [10, 2],
    [9, 1],
    [10, -1],
    [10, 2],
  ] as const) {
    const row = rows.row(3, 7, third, fourth);
    row[4] = (row[4] ?? 0) + 5;
  }
  rows.row(2, 8, 11, 0);
  expect(rows.sorted()).toEqual([
    [2, 8, 11, 0, 0],
    [3, 7, 9, 1, 5],
    [3, 7, 10, -1, 5],
    [3, 7, 10, 2, 10],
  ]);
});
