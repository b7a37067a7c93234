import { expect, it } from "bun:test";
import { exactDollars } from "./exact-dollars.ts";

it.each([
  [0, "$0.00"],
  [740, "$0.000074"],
  [100_000, "$0.01"],
  [12_345_000, "$1.2345"],
  [12_345_678_901, "$1234.5678901"],
  [-15_000_000, "-$1.50"],
])("%p microcents are exactly %s", (amount, text) => expect(exactDollars(amount)).toBe(text));
