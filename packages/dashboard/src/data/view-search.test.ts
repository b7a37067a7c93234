import { expect, it } from "bun:test";
import { parseQuery, readViewSearch, writeQuery } from "./view-search.ts";

const read = (query: string) => readViewSearch(parseQuery(query));

it("DASH-001 a link reproduces range, filters and mode", () => {
  const query = "?org=o1&mode=test&range=7d&compare=off&agent=a%2Fb+%26c&model=gpt-4o";
  expect(read(query)).toEqual({
    org: "o1",
    mode: "test",
    range: "7d",
    compare: "off",
    agent: "a/b &c",
    model: "gpt-4o",
  });
  expect(read(writeQuery(read(query)))).toEqual(read(query));
});

it("DASH-001 a link to live traffic says so, too", () => {
  expect(read("?mode=live")).toEqual({ mode: "live" });
});

it("a custom range counts instead of a preset", () => {
  expect(read("?range=7d&from=2026-11-01&to=2026-11-02T12:00:00Z")).toEqual({
    from: "2026-11-01T00:00:00.000Z",
    to: "2026-11-02T12:00:00.000Z",
  });
});

it("drops what makes no sense", () => {
  expect(read("?range=12y&mode=prod&from=2026-11-02&to=2026-11-01&agent=&status=failed&source=here")).toEqual(
    {},
  );
  expect(writeQuery({ range: undefined })).toBe("");
});
