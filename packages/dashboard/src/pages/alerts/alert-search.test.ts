import { expect, it } from "bun:test";
import { readAlertSearch } from "./alert-search.ts";
import { readPredictionState } from "./prediction-state.ts";

it("DASH-001 a link says which alerts are listed; what makes no sense is dropped", () => {
  expect(readAlertSearch({ show: "all", type: "idle_agent", severity: "info" })).toEqual({
    show: "all",
    type: "idle_agent",
    severity: "info",
  });
  expect(readAlertSearch({ show: "open", type: "x", severity: 1 })).toEqual({});
});

it("DASH-001 a link says which predictions are listed; what makes no sense is dropped", () => {
  expect(readPredictionState({ state: "resolved" })).toEqual({ state: "resolved" });
  expect([{ state: "active" }, { state: "x" }, {}].map(readPredictionState)).toEqual([{}, {}, {}]);
});
