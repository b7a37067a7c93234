import { expect, it } from "bun:test";
import { parseCpuTimes, watchSteal } from "./steal.ts";

it("adds up the times of all CPUs, of which one is stolen", () => {
  const text = "cpu  100 20 30 400 5 0 6 7 90 9\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
  expect(parseCpuTimes(text)).toEqual({ total: 568, stolen: 7 });
  expect(() => parseCpuTimes("intr 1")).toThrow("no CPU times");
});

it("is a share", () => {
  const stolen = watchSteal();
  expect(stolen()).toBeWithin(0, 1);
});
