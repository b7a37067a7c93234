import { z } from "zod";
import { costBases, usageSources } from "../../event.ts";
import { usageKinds } from "../../money/usage.ts";
import { isoTime } from "../fields/iso-time.ts";

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const amount = decimal.meta({ description: "Microcents, exact: a decimal number as text" });
const priceVersion = z.string().meta({ description: "Of `rate_cards`" });

const usageLine = z.strictObject({
  type: z.literal("usage"),
  kind: z.enum(usageKinds),
  model: z.string().meta({ description: "Whose work it was: other models may have worked within the call" }),
  count: z.int(),
  unit: z.enum(["token", "use"]),
  rate_microcents: decimal.nullable().meta({ description: "Of one unit; null: no price is known" }),
  amount_microcents: amount.nullable().meta({ description: "count × rate; null: no price is known" }),
  price_version: priceVersion.nullable(),
});

const lines = z.discriminatedUnion("type", [
  usageLine,
  z.strictObject({
    type: z.literal("reported"),
    amount_microcents: amount.meta({ description: "What the provider, or who sent the event, says it cost" }),
  }),
  z.strictObject({
    type: z.literal("rounding"),
    amount_microcents: amount.meta({ description: "To whole microcents, once an event, half to even" }),
  }),
  z.strictObject({
    type: z.literal("adjustment"),
    amount_microcents: amount.meta({ description: "What a rerating added to what was booked before it" }),
    created_at: isoTime,
    price_version: priceVersion,
    rerated: z
      .strictObject({ to_microcents: z.int(), lines: z.array(usageLine) })
      .nullable()
      .meta({ description: "The whole cost at those rates; null where not all of them were kept" }),
  }),
  z.strictObject({
    type: z.literal("unexplained"),
    amount_microcents: amount.meta({ description: "A fault of the ledger: see `svc ledger verify`" }),
  }),
]);

const rateCard = z.strictObject({
  price_version: z.string(),
  provider: z.string(),
  model: z
    .string()
    .meta({ description: "The entry of the price list: a model and its dated snapshots share one" }),
  source: z.string().meta({ description: "`file`, `tollgate` or `genai-prices@<version>`" }),
  effective_from: z.string().nullable().meta({
    description:
      "The first UTC day of this price, which holds until a newer one; null: the oldest price known",
  }),
  above_input_tokens: z.int().nullable().meta({
    description: "Long-context rates, for prompts of more input tokens than this; null: the ordinary ones",
  }),
  service_condition: z.string().meta({
    description:
      "How it was served (`standard`, `flex`, `fast+us`, `unknown:<name>`); its factor is in the rates",
  }),
});

/** How a cost is computed: the amounts of the lines, except null ones, add up to `total_microcents`. */
export const costExplanationResource = z
  .strictObject({
    event_id: z.string(),
    explanation: z.string().meta({ description: "Where the cost comes from, in words" }),
    cost_basis: z.enum(costBases),
    usage_source: z.enum(usageSources),
    service_tier: z.string().nullable().meta({ description: "As the provider named it" }),
    cost_microcents: z.int().meta({ description: "As it was booked with the event" }),
    adjustment_microcents: z.int(),
    total_microcents: z.int(),
    is_unpriced: z.boolean(),
    lines: z.array(lines),
    rate_cards: z.array(rateCard),
  })
  .meta({ id: "CostExplanation" });
