import { expect, it } from "bun:test";
import { readDollars } from "./read-dollars.ts";

it.each([
  ["12.50", 125_000_000],
  [" $ 5 ", 50_000_000],
  ["$1,234.50", 12_345_000_000],
  ["1 234 567", 12_345_670_000_000],
  ["0", 0],
])("%p is read as dollars", (text, amount) => expect(readDollars(text)).toBe(amount as never));

it.each(["12,50", "0,150", "0,15", "1,2345", "1,23,456", "1,234 567", "1.234,50", "-5", "5 $", "ten", ""])(
  "%p is not an amount, and never a hundred times what was meant",
  text => expect(readDollars(text)).toBeNull(),
);
