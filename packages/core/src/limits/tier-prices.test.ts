import { expect, it } from "bun:test";
import { parseTierPrices, priceOf } from "./tier-prices.ts";

it.each([
  ["", {}],
  ["lite=29", { lite: 2900 }],
  [" lite = 29.9 , pro=99.99,enterprise=0, ", { lite: 2990, pro: 9999, enterprise: 0 }],
] as const)("reads %j as cents per month", (text, prices) => {
  expect(parseTierPrices(text)).toEqual(prices);
});

it.each(["gold=1", "lite", "lite=-1", "lite=1.999", "lite=$29", "lite=1;pro=2", "lite=1,lite=2"])(
  "rejects %j with a message",
  text => {
    expect(() => parseTierPrices(text)).toThrow(/^(must be dollars|names lite twice)/);
  },
);

it("treats Starter as free, and any other tier without a price as unknown", () => {
  expect([priceOf("starter", {}), priceOf("lite", {}), priceOf("lite", { lite: 5 })]).toEqual([0, null, 5]);
});
