import { expect, it } from "bun:test";
import { BatchSize } from "./batch-size.ts";

it("fits batches to the time that they may take, and stays within its bounds", () => {
  const size = new BatchSize(1000, 10_000);
  const after = (events: number, cpuMs: number | null) => {
    size.adapt(events, cpuMs);
    return size.current;
  };
  expect(size.current).toBe(1000);
  expect(after(999, 1)).toBe(1000);
  expect(after(1000, 1)).toBe(4000);
  expect(after(4000, 350)).toBe(8000);
  expect(after(7999, 350)).toBe(8000);
  expect(after(8000, 700)).toBe(8000);
  expect([after(8000, 100), after(10_000, null)]).toEqual([10_000, 10_000]);
  expect([after(10_000, 1400), after(10, 1400), after(10, 7000)]).toEqual([5000, 2500, 1000]);
});
