import { expect, it } from "bun:test";
import { BatchSize } from "./batch-size.ts";

it("grows while full batches are short, shrinks when one is long, and stays within its bounds", () => {
  const size = new BatchSize(1000, 5000);
  const after = (events: number, cpuMs: number) => {
    size.adapt(events, cpuMs);
    return size.current;
  };
  expect(size.current).toBe(1000);
  expect(after(999, 1)).toBe(1000);
  expect(after(1000, 249)).toBe(2000);
  expect(after(2000, 400)).toBe(2000);
  expect([after(2000, 1), after(4000, 1), after(5000, 1)]).toEqual([4000, 5000, 5000]);
  expect([after(5000, 601), after(10, 601), after(10, 601)]).toEqual([2500, 1250, 1000]);
});
