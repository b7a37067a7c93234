import { describe, expect, it } from "bun:test";
import { countTools } from "./count-tools.ts";

const webSearch = (more: object) => ({ type: "web_search_call", status: "completed", ...more });

describe("countTools", () => {
  it("MON-007 counts searches and the pages that were opened, both of which xAI bills, but no failed call", () => {
    const output = [
      webSearch({ action: { type: "search", query: "bern" } }),
      webSearch({ action: { type: "open_page", url: "https://bern.example" } }),
      webSearch({ action: { type: "open_page" }, status: "failed" }),
      { type: "x_search_call", status: "completed" },
      { type: "code_interpreter_call", status: "completed" },
      { type: "file_search_call", status: "completed" },
    ];
    expect(countTools({ output })).toEqual({ web_searches: 4, file_searches: 1 });
    const usage = { server_side_tool_usage_details: { web_search_calls: 1, file_search_calls: 2 } };
    expect(countTools({ output, usage })).toEqual({ web_searches: 1, file_searches: 2 });
  });
});
