import { expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { emptyReading } from "@tollgate/providers/meter";
import { samplePricedCall as call } from "../../../../test/support/rows/sample-priced-call.ts";
import { priceReading } from "./price-reading.ts";

// 100 cents per million are 10 microcents per token.
const big = {
  provider: "anthropic",
  model: "big",
  input_per_million_cents: 100,
  output_per_million_cents: 1000,
};
const catalogue = createCatalogue({ overrides: parsePriceOverrides([big]) });

it("uses the amount that the provider reports as billed, even against our rates", () => {
  const reading = { ...emptyReading(), usage: { input: 1000 }, reportedCost: microcents(123) };
  expect(priceReading(call, reading, catalogue).fields).toMatchObject({
    cost_microcents: 123,
    cost_basis: "reported",
    usage_source: "provider",
  });
  expect(priceReading({ ...call, model: "nobody-knows" }, reading, catalogue).fields).toMatchObject({
    cost_microcents: 123,
    cost_basis: "reported",
    price_version: null,
  });
});

it("MON-010 does not book a reported amount that nobody can have billed, and marks the price as an estimate", () => {
  const usage = { input: 1000 }; // 10,000
  const booked = (model: string, reported: number, reportedFees?: number) => {
    const reading = { ...emptyReading(), usage, reportedCost: microcents(reported) };
    const { fields } = priceReading(
      { ...call, model },
      reportedFees === undefined ? reading : { ...reading, reportedFees },
      catalogue,
    );
    return [Number(fields.cost_microcents), fields.cost_basis];
  };
  expect(booked("big", 10_000_000)).toEqual([10_000_000, "reported"]);
  expect(booked("big", 10_000_001)).toEqual([10_000, "estimated"]);
  expect(booked("big", 10_000_001, 10)).toEqual([10_000_001, "reported"]);
  expect(booked("big", 99)).toEqual([10_000, "estimated"]);
  expect(booked("nobody-knows", 10_000_000)).toEqual([10_000_000, "reported"]);
  expect(booked("nobody-knows", 10_000_001)).toEqual([0, "unpriced"]);
});
