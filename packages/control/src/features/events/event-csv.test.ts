import { describe, expect, it } from "bun:test";
import { csvCell } from "./event-csv.ts";

describe("a cell of the export", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", `"'\r=1"`],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ["a,b", '"a,b"'],
    ['a"b', '"a""b"'],
    ["a\nb", '"a\nb"'],
    ["plain", "plain"],
    ["", ""],
  ])("writes %j so that no spreadsheet runs it", (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  it("writes numbers unquoted, and null as an empty cell", () => {
    expect([csvCell(-5), csvCell(true), csvCell(null)]).toEqual(["-5", "true", ""]);
  });
});
