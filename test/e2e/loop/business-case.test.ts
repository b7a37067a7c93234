import { afterAll, beforeAll, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { gpt4oCalls } from "../../support/labs/suggestion-lab.ts";
import { openToolClient, type ToolClient } from "../../support/labs/tool-clients.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
let unpriced: ControlLab;
let org: Awaited<ReturnType<ControlLab["organization"]>>;
let toolClient: ToolClient;
beforeAll(async () => {
  lab = await startControlLab(undefined, undefined, { tierPrices: { lite: 2900, pro: 9900 } });
  unpriced = await startControlLab();
  org = await lab.organization("starter");
  await org.addEvents(
    ...["a", "b", "c"].map(agent_key => ({
      agent_key,
      cost_microcents: microcents(40_000_000),
      created_at: lab.clock.now() - DAY_MS,
    })),
    { agent_key: "a", cost_microcents: microcents(5_000_000), created_at: lab.clock.now() - 20 * DAY_MS },
  );
  toolClient = await openToolClient("hosted, new client", lab.url, org.liveKey);
});
afterAll(async () => {
  await toolClient.close();
  await lab.stop();
  await unpriced.stop();
});

it("LOOP-023 makes a case for a tier above from the organization's own numbers", async () => {
  const found = await org.client.call("upgrade_business_case.get", { current_tier: "starter" });
  expect(found).toMatchObject({ is_own_tier: true, recommended_tier: "lite", use_case: null });
  expect(found.facts).toMatchObject({
    // 1200 in the seven days that Starter shows.
    monthly_spend_cents: { value: 5142.85714, basis: "measured" },
    agent_count: { value: 3, basis: "measured" },
    hidden_spend_cents: 50,
  });
  expect(found.options.map(({ tier }) => tier)).toEqual(["lite", "pro", "enterprise"]);
  const [lite, , enterprise] = found.options;
  expect(lite).toMatchObject({ price_monthly_cents: 2900, extra_cost_monthly_cents: 2900 });
  expect(lite?.break_even_savings_pct).toBeCloseTo(56.39, 2);
  expect(lite?.limits[0]).toEqual({
    limit: "agents",
    used: 3,
    basis: "measured",
    allowed_now: 3,
    allowed_then: 10,
    is_reached_now: true,
    is_reached_then: false,
  });
  // Not configured, so not known.
  expect(enterprise).toMatchObject({ price_monthly_cents: null, net_monthly_cents: null });
  expect(found.missing[0]).toContain("enterprise");
});

it("MON-021 says how many calls of unknown cost the measured and the hidden spend leave out", async () => {
  const some = await lab.organization("starter");
  const unknown = { cost_basis: "unpriced", cost_microcents: microcents(0) } as const;
  await some.addEvents(
    { cost_microcents: microcents(40_000_000), created_at: lab.clock.now() - DAY_MS },
    ...Array.from({ length: 2 }, () => ({ ...unknown, created_at: lab.clock.now() - DAY_MS })),
    ...Array.from({ length: 3 }, () => ({ ...unknown, created_at: lab.clock.now() - 20 * DAY_MS })),
  );
  const someToolClient = await openToolClient("hosted, new client", lab.url, some.liveKey);
  try {
    const measured = await someToolClient.call("svc_get_upgrade_business_case", { current_tier: "starter" });
    expect(measured.structured).toMatchObject({
      facts: {
        monthly_spend_cents: { value: 1714.28571, basis: "measured", unpriced_calls: 2 },
        hidden_spend_cents: 0,
        hidden_unpriced_calls: 3,
      },
      missing: expect.arrayContaining([expect.stringContaining("unknown cost (2)")]),
    });
    expect(measured.text).toContain("measured: $17.14 (+ 2 unpriced calls)");
    expect(measured.text).toContain("your tier shows: $0.00 (+ 3 unpriced calls)");

    const stated = await someToolClient.call("svc_get_upgrade_business_case", {
      current_tier: "starter",
      monthly_spend: 100,
    });
    expect(stated.structured).toMatchObject({
      facts: { monthly_spend_cents: { value: 100, basis: "stated", unpriced_calls: null } },
    });
    expect(stated.text).toContain("stated: $1.00.");
  } finally {
    await someToolClient.close();
  }
});

/** Sixty calls on each of the last `days` days: half of the money for calls that another model answers for 96 % less. */
function dailyCalls(days: number) {
  const thrifty = { agent_key: "thrifty", model: "gpt-4.1-nano", requested_model: "gpt-4.1-nano" };
  return Array.from({ length: days }, (_, day) => lab.clock.now() - day * DAY_MS - HOUR_MS).flatMap(
    created_at => [
      ...gpt4oCalls(30, { agent_key: "wasteful", created_at }),
      ...gpt4oCalls(30, { ...thrifty, usage: { input: 20_000, output: 2500 }, created_at }),
    ],
  );
}

it.each([
  ["starter", 30],
  ["lite", 30],
  ["lite", 3],
] as const)("LOOP-023 on %s after %i days, spend and savings are those of a month", async (tier, days) => {
  const some = await lab.organization(tier);
  await some.addEvents(...dailyCalls(days));
  const read = () => some.client.call("upgrade_business_case.get", { current_tier: "starter" });
  await eventually("the savings are known", async () => ((await read()).facts.savings_share ?? 0) > 0);
  const { facts, options } = await read();
  // 60 × 30,000 microcents a day.
  expect(facts.monthly_spend_cents.value).toBe(540);
  expect(facts.savings_share).toBeCloseTo(0.48, 10);
  expect(options[0]?.savings_monthly_cents).toBe(259);
});

it("LOOP-023 ROI-007 says that an upgrade does not pay where no suggestion would save", async () => {
  const thrifty = await lab.organization("starter");
  const created_at = lab.clock.now() - HOUR_MS;
  const change = {
    model: "gpt-4.1-nano",
    requested_model: "gpt-4.1-nano",
    cost_microcents: microcents(1200),
  };
  await thrifty.addEvents(
    ...gpt4oCalls(40, { ...change, agent_key: "thrifty", created_at }),
    ...gpt4oCalls(3, { agent_key: "small", created_at }),
  );
  const read = () => thrifty.client.call("upgrade_business_case.get", { current_tier: "starter" });
  await eventually("the savings are known", async () => (await read()).facts.savings_share !== null);
  const found = await read();
  expect(found.facts.savings_share).toBe(0);
  expect(found.options[0]).toMatchObject({ savings_monthly_cents: 0, net_monthly_cents: -2900 });
  const justified = await thrifty.client.call("upgrade_justification.get", {});
  expect(justified).toMatchObject({
    estimated_savings_monthly_cents: 0,
    upgrade: { benefit_monthly_cents: 0, net_monthly_cents: -2900, roi_multiplier: 0 },
  });
});

it("LOOP-023 uses monthly_spend, agent_count and primary_use_case when given", async () => {
  const { structured, text } = await toolClient.call("svc_get_upgrade_business_case", {
    current_tier: "lite",
    monthly_spend: 100_000,
    agent_count: 40,
    primary_use_case: "code_assistant",
  });
  expect(structured).toMatchObject({
    current_tier: "lite",
    is_own_tier: false,
    recommended_tier: "pro",
    facts: {
      monthly_spend_cents: { value: 100_000, basis: "stated" },
      agent_count: { value: 40, basis: "stated" },
    },
    use_case: { primary_use_case: "code_assistant" },
  });
  const [pro] = structured.options as Record<string, unknown>[];
  expect(pro).toMatchObject({ extra_cost_monthly_cents: 7000, break_even_savings_pct: 7 });
  expect(text).toContain("pays once 7% of the spend is saved");
  expect(text).toContain("For this use case");
});

it("LOOP-023 invents nothing: without prices and calls every amount is null, and it says what is missing", async () => {
  const empty = await unpriced.organization("pro");
  const found = await empty.client.call("upgrade_business_case.get", { current_tier: "starter" });
  expect(found.facts).toMatchObject({
    monthly_spend_cents: { value: null, basis: null },
    savings_share: null,
    hidden_spend_cents: null,
  });
  for (const option of found.options) {
    expect(option).toMatchObject({
      price_monthly_cents: null,
      extra_cost_monthly_cents: null,
      savings_monthly_cents: null,
      net_monthly_cents: null,
      break_even_savings_pct: null,
    });
  }
  expect(found.missing).toHaveLength(3);
  expect(found.missing[0]).toContain("SVC_TIER_PRICES");
});
