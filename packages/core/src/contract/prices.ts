import { z } from "zod";
import { ORGANIZATION_SOURCE, statedPrices } from "../pricing/overrides.ts";
import { providerIds } from "../provider-id.ts";
import { unpricedCalls } from "./fields/cost-sums.ts";
import { isoTime, isoTimeInput } from "./fields/iso-time.ts";
import { callerId, idParams } from "./fields/object-id.ts";
import { periodResource } from "./fields/period.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

const priceOverride = z
  .strictObject({
    id: z.string(),
    provider: z.enum(providerIds),
    model: z.string().meta({ description: "The price also applies to its dated snapshots" }),
    prices: z
      .strictObject(statedPrices)
      .meta({ description: "Cents; prices that are not set are derived from the input price" }),
    source: z.literal(ORGANIZATION_SOURCE).meta({ description: "As in the cost explanation of a call" }),
    effective_from: isoTime,
    created_by: z.string(),
  })
  .meta({ id: "PriceOverride" });

const rerated = {
  from: isoTimeInput,
  to: isoTimeInput.meta({ description: "ISO 8601, excluded" }),
  model: callerId.optional(),
  provider: callerId.optional(),
  own_prices: z.enum(["as_set", "always"]).default("as_set").meta({
    description:
      "The organization's own prices count from when they were set; `always`: those in force now, for the whole period",
  }),
};

const costOrUnknown = z.strictObject({
  cost_microcents: z.int().nullable().meta({ description: "null: no call has a known cost" }),
  unpriced_calls: unpricedCalls,
});

const reratedSums = {
  call_count: z.int(),
  changed_calls: z.int().meta({ description: "Calls whose cost is another one now, or known now" }),
  booked: costOrUnknown.meta({ description: "With earlier reratings" }),
  rerated: costOrUnknown.meta({
    description: "A call whose new cost cannot be known keeps its cost, or stays unpriced",
  }),
  difference_microcents: z
    .int()
    .nullable()
    .meta({ description: "What is added to the sum of costs; null: no cost is known" }),
};

const rerating = z
  .strictObject({
    period: periodResource,
    applied: z.boolean(),
    total: z.strictObject(reratedSums),
    by_model: z
      .array(z.strictObject({ provider: z.string(), model: z.string(), ...reratedSums }))
      .meta({ description: "The largest differences first; at most 200" }),
    omitted_models: z.int().meta({ description: "In the total, but not listed" }),
  })
  .meta({ id: "Rerating" });

export const priceOperations = declareOperations({
  "prices.overrides.list": {
    method: "GET",
    path: "/api/prices/overrides",
    summary: "Prices that the organization has set for itself, newest first; at most 500",
    output: z.strictObject({ overrides: z.array(priceOverride) }),
    ...readAccess,
  },
  "prices.overrides.remove": {
    method: "DELETE",
    path: "/api/prices/overrides/:id",
    summary: "Remove the organization's price of a model, and any earlier one of the same model",
    params: idParams,
    ...writeAccess,
    isOrganizationWide: true,
  },
  "prices.overrides.set": {
    method: "POST",
    path: "/api/prices/overrides",
    summary: "Set the price of a model for the organization, from now on",
    body: z.strictObject({
      provider: z.enum(providerIds),
      model: z.string().trim().min(1).max(256).toLowerCase(),
      ...statedPrices,
    }),
    output: priceOverride,
    status: 201,
    ...writeAccess,
    isOrganizationWide: true,
  },
  "prices.rerating.apply": {
    method: "POST",
    path: "/api/prices/rerating",
    summary: "Book what the calls of a period cost at the prices known now; a second time books nothing",
    body: z.strictObject(rerated),
    output: rerating,
    ...writeAccess,
  },
  "prices.rerating.preview": {
    method: "GET",
    path: "/api/prices/rerating",
    summary: "What the calls of a period would cost at the prices known now, by model; at most 50,000 calls",
    query: z.strictObject(rerated),
    output: rerating,
    scope: "read",
    role: "admin",
  },
});
