import { expect, it } from "bun:test";
import { backOffMs } from "./back-off.ts";

it("backs off exponentially after faults, up to five seconds", () => {
  expect([1, 2, 3, 4, 5, 6, 60].map(backOffMs)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
});
