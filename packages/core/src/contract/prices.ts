import { z } from "zod";
import { ORGANIZATION_SOURCE, statedPrices } from "../pricing/overrides.ts";
import { providerIds } from "../provider-id.ts";
import { isoTime } from "./fields/iso-time.ts";
import { idParams } from "./fields/object-id.ts";
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
  },
});
