import { expect, it } from "bun:test";
import { formatDollars } from "./format-dollars.ts";

it.each([
  [0, "$0.00"],
  [123, "$0.0000123"],
  [99_999, "$0.0099999"],
  [100_000, "$0.01"],
  [12_345_000, "$1.23"],
  [12_355_000, "$1.24"],
  [-12_355_000, "-$1.24"],
  [-123, "-$0.0000123"],
])("%p microcents are %s", (amount, text) => expect(formatDollars(amount)).toBe(text));
