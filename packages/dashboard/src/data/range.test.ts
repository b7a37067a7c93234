import { expect, it } from "bun:test";
import { rangeOf } from "./range.ts";

const now = Date.UTC(2026, 10, 16, 12);

it("a range that ends now has its exact length, and the period before ends where it begins", () => {
  expect(rangeOf({ range: "7d" }, now)).toMatchObject({
    preset: "7d",
    from: "2026-11-09T12:00:00.000Z",
    to: "2026-11-16T12:00:00.000Z",
    previous: { from: "2026-11-02T12:00:00.000Z", to: "2026-11-09T12:00:00.000Z" },
  });
  expect(rangeOf({ compare: "off" }, now)).toMatchObject({ title: "Last 24 hours", previous: null });
});

it("a chosen range does not move", () => {
  const search = { from: "2026-11-01T00:00:00.000Z", to: "2026-11-03T00:00:00.000Z" };
  expect(rangeOf(search, now)).toMatchObject({ ...search, preset: null, lengthMs: 2 * 86_400_000 });
});
