import { expect, it } from "bun:test";
import { readHeadlineDays } from "./headline-days.ts";

it("DASH-001 a link says how far back the headline reaches; what makes no sense is dropped", () => {
  expect(readHeadlineDays({ days: "7" })).toEqual({ days: 7 });
  expect([{ days: "30" }, { days: "8" }, { days: {} }, {}].map(readHeadlineDays)).toEqual([{}, {}, {}, {}]);
});
