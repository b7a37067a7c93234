import { describe, expect, it } from "bun:test";
import { ZERO_MICROCENTS } from "@tollgate/core/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { decodeRateCard, priceVersion } from "@tollgate/core/pricing/rates";
import { listPrice } from "@tollgate/providers/meter";
import { sampleSettlement } from "../../../test/support/sample-event.ts";
import { rerate } from "./rerate.ts";

const withPrice = (model: string, from?: string) =>
  createCatalogue({
    overrides: parsePriceOverrides([
      {
        provider: "openai",
        model,
        input_per_million_cents: 100,
        output_per_million_cents: 1000,
        ...(from ? { from } : {}),
      },
    ]),
  });

// 1000 input tokens at 10 microcents, 100 output tokens at 100.
const NEW_COST = 20_000;
const { event } = sampleSettlement("e");
const unpriced = sampleSettlement("e", {
  model: "brand-new",
  served_model: null,
  cost_basis: "unpriced",
  cost_microcents: ZERO_MICROCENTS,
  price_version: null,
}).event;

describe("rerate", () => {
  it("MON-014 gives an unpriced event its cost once a price is known, and leaves it while there is none", () => {
    expect(rerate(unpriced, 0, null, createCatalogue())).toBeNull();
    const change = rerate(unpriced, 0, null, withPrice("brand-new"));
    expect(change).toMatchObject({ event_id: "e", org_id: "org", amount_microcents: NEW_COST });
    expect(decodeRateCard(change?.card ?? "").source).toBe("file");
  });

  it("MON-013 changes nothing the second time: what is booked counts with its adjustments", () => {
    const catalogue = withPrice("gpt-4o-mini");
    const change = rerate(event, event.cost_microcents, "standard", catalogue);
    expect(change?.amount_microcents).toBe(NEW_COST - event.cost_microcents);
    expect(
      rerate(event, event.cost_microcents + (change?.amount_microcents ?? 0), "standard", catalogue),
    ).toBeNull();
    expect(rerate(event, event.cost_microcents, "standard", createCatalogue())).toBeNull();
  });

  it("takes the prices of the event's own day", () => {
    expect(
      rerate(event, event.cost_microcents, "standard", withPrice("gpt-4o-mini", "2026-11-16")),
    ).toBeNull();
    expect(
      rerate(event, event.cost_microcents, "standard", withPrice("gpt-4o-mini", "2026-11-15")),
    ).not.toBeNull();
  });

  it("leaves a call of several passes that only together are long, and makes a long one long", () => {
    const catalogue = createCatalogue();
    const at = new Date(event.created_at);
    const usage = { input: 240_000, output: 30 };
    const sonnet = { provider: "anthropic", model: "claude-sonnet-4-5", served_model: null } as const;
    const short = catalogue.card("anthropic", sonnet.model, at, 0, listPrice);
    if (short === null) throw new Error("no price");
    const inPasses = { ...event, ...sonnet, usage, price_version: priceVersion(short) };
    // 240,000 × 30 + 30 × 150; long: 240,000 × 60 + 30 × 225
    expect(rerate(inPasses, 7_204_500, "standard", catalogue)).toBeNull();
    const unknown = { ...inPasses, price_version: "price_of_another_day" };
    expect(rerate(unknown, 7_204_500, "standard", catalogue)?.amount_microcents).toBe(14_406_750 - 7_204_500);
  });

  it("can also lower a cost", () => {
    expect(rerate(event, 1_000_000, "standard", withPrice("gpt-4o-mini"))?.amount_microcents).toBe(
      NEW_COST - 1_000_000,
    );
  });

  it("does not touch the provider's own bill, nor a call that used nothing", () => {
    const catalogue = withPrice("gpt-4o-mini");
    expect(rerate({ ...event, cost_basis: "reported" }, 5, "standard", catalogue)).toBeNull();
    expect(rerate({ ...event, usage_source: "none" }, 0, "standard", catalogue)).toBeNull();
  });

  it("leaves an event as it is while a part of it has no price", () => {
    const additional_usage = [{ model: "nobody-knows", usage: { input: 1 }, price_version: null }];
    expect(rerate({ ...event, additional_usage }, 0, "standard", withPrice("gpt-4o-mini"))).toBeNull();
  });

  it("leaves a call alone that was served under a condition which its event does not keep", () => {
    const catalogue = withPrice("gpt-4o-mini");
    expect(rerate(event, event.cost_microcents, "fast+us", catalogue)).toBeNull();
    expect(rerate(event, event.cost_microcents, "standard", catalogue)).not.toBeNull();
  });
});
