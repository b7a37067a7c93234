import { describe, expect, it } from "bun:test";
import { isoTimeInput } from "./iso-time.ts";

describe("a moment that a caller names", () => {
  it.each([
    ["2026-11-15", "2026-11-15T00:00:00.000Z"],
    ["2026-11-15T08:30", "2026-11-15T08:30:00.000Z"],
    ["2026-11-15T08:30:01", "2026-11-15T08:30:01.000Z"],
    ["2026-11-15T08:30:00Z", "2026-11-15T08:30:00.000Z"],
    ["2026-11-15T08:30:00.123456Z", "2026-11-15T08:30:00.123Z"],
    ["2026-11-15T08:30:00+02:00", "2026-11-15T06:30:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ])("takes %s", (text, meant) => {
    expect(new Date(isoTimeInput.parse(text)).toISOString()).toBe(meant);
  });

  it.each([
    "",
    "yesterday",
    "1700000000",
    "2026-11",
    "2026-02-31",
    "2025-02-29",
    "2026-11-15 08:30",
    "2026-11-15T25:00:00Z",
    "+002026-11-15",
  ])("refuses %j", text => {
    expect(isoTimeInput.safeParse(text).success).toBe(false);
  });
});
