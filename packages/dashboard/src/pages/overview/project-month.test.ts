import { expect, it } from "bun:test";
import { projectMonth } from "./project-month.ts";

it("a month is projected at its pace so far, once a day of it has passed", () => {
  expect(projectMonth(1000, Date.UTC(2026, 10, 16))).toBe(2000);
  expect(projectMonth(1000, Date.UTC(2026, 10, 1, 12))).toBeNull();
  expect(projectMonth(0, Date.UTC(2026, 10, 16))).toBe(0);
});
