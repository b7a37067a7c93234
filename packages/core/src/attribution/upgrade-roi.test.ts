import { describe, expect, it } from "bun:test";
import { upgradeRoi } from "./upgrade-roi.ts";

describe("upgradeRoi", () => {
  it("ROI-007 is the possible monthly saving minus the tier's additional cost", () => {
    expect(upgradeRoi("starter", null, { lite: 2900 }, 8700)).toEqual({
      target_tier: "lite",
      price_monthly_cents: 2900,
      extra_cost_monthly_cents: 2900,
      benefit_monthly_cents: 8700,
      net_monthly_cents: 5800,
      roi_multiplier: 3,
      note: null,
    });
    expect(upgradeRoi("starter", "pro", { lite: 2900, pro: 10_000 }, 2500)).toMatchObject({
      target_tier: "pro",
      net_monthly_cents: -7500,
      roi_multiplier: 0.25,
    });
  });

  it("ROI-007 is unknown without a price, and names the missing setting", () => {
    const roi = upgradeRoi("starter", "lite", {}, 8700);
    expect(roi).toMatchObject({
      extra_cost_monthly_cents: null,
      net_monthly_cents: null,
      roi_multiplier: null,
    });
    expect(roi.note).toContain("SVC_TIER_PRICES");
    expect(upgradeRoi("lite", "pro", { pro: 1 }, 0).note).toContain("SVC_TIER_PRICES");
  });

  it("ROI-007 is unknown without known savings, and a paying organization already has the suggestions", () => {
    expect(upgradeRoi("starter", null, { lite: 2900 }, null)).toMatchObject({
      benefit_monthly_cents: null,
      roi_multiplier: null,
    });
    expect(upgradeRoi("lite", "pro", { lite: 2900, pro: 9900 }, 5000)).toMatchObject({
      extra_cost_monthly_cents: 7000,
      benefit_monthly_cents: 0,
      net_monthly_cents: -7000,
      roi_multiplier: 0,
    });
    expect(upgradeRoi("enterprise", null, {}, 5000)).toMatchObject({
      target_tier: null,
      roi_multiplier: null,
    });
  });
});
