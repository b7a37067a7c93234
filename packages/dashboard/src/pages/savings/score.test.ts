import { expect, it } from "bun:test";
import { score } from "./score.ts";

it("a score has a sign and two decimals", () => {
  expect([0.123, -0.46, 0, -0.001].map(score)).toEqual(["+0.12", "-0.46", "0.00", "0.00"]);
});
