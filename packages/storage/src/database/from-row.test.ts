import { describe, expect, it } from "bun:test";
import { fromRow, parseEnumValue } from "./from-row.ts";

describe("fromRow", () => {
  it("returns the row with its enum columns narrowed", () => {
    const row = { id: "b", period: "daily", limit_microcents: 5 };
    const parsed: { readonly period: "daily" | "monthly" } = fromRow("budgets", row);
    expect(parsed).toBe(row as typeof parsed);
    expect(fromRow("experiments", { id: "e", winner: null }).winner).toBeNull();
  });

  it("rejects an unknown enum value, naming table, id and column", () => {
    expect(() => fromRow("budgets", { id: "b", period: "weekly" })).toThrow(
      'budgets b: period is "weekly", which this version does not know',
    );
    expect(() => parseEnumValue("members", "role", "m", "guest")).toThrow("members m: role is");
  });
});
