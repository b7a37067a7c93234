import { expect, it } from "bun:test";
import { readAlertSearch } from "./alert-search.ts";

it("DASH-001 a link says which alerts are listed; what makes no sense is dropped", () => {
  expect(readAlertSearch({ show: "all", type: "idle_agent", severity: "info" })).toEqual({
    show: "all",
    type: "idle_agent",
    severity: "info",
  });
  expect(readAlertSearch({ show: "open", type: "x", severity: 1 })).toEqual({});
});
