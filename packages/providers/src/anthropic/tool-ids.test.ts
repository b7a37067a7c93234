import { describe, expect, it } from "bun:test";
import { ToolIds } from "./tool-ids.ts";

describe("ToolIds", () => {
  it("keeps ids that anthropic accepts", () => {
    const ids = new ToolIds();
    expect([ids.ofCall("toolu_01-A"), ids.ofResult("toolu_01-A")]).toEqual(["toolu_01-A", "toolu_01-A"]);
  });

  it("rewrites ids that it rejects, for call and result alike", () => {
    const ids = new ToolIds();
    expect([ids.ofCall("functions.f:0"), ids.ofResult("functions.f:0")]).toEqual([
      "functions_f_0",
      "functions_f_0",
    ]);
  });

  it("makes a repeated id unique, and matches a result to the latest call", () => {
    const ids = new ToolIds();
    const said = [ids.ofCall("call_1"), ids.ofResult("call_1"), ids.ofCall("call_1"), ids.ofResult("call_1")];
    expect(said).toEqual(["call_1", "call_1", "call_1_2", "call_1_2"]);
  });
});
