import { describe, expect, it } from "bun:test";
import { fromRow, wordIn } from "./from-row.ts";

describe("a row of a table", () => {
  it("is the same row, with words for the columns that have them", () => {
    const row = { id: "b", period: "daily", limit_microcents: 5 };
    const parsed: { readonly period: "daily" | "monthly" } = fromRow("budgets", row);
    expect(parsed).toBe(row as typeof parsed);
    expect(fromRow("experiments", { id: "e", winner: null }).winner).toBeNull();
  });

  it("is refused with table, id and column if it has a word that nobody knows", () => {
    expect(() => fromRow("budgets", { id: "b", period: "weekly" })).toThrow(
      'budgets b: period is "weekly", which this program does not know',
    );
    expect(() => wordIn("members", "role", "m", "guest")).toThrow("members m: role is");
  });
});
