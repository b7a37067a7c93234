import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { DAY_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const unpriced = {
  served_model: null,
  cost_basis: "unpriced",
  cost_microcents: ZERO_MICROCENTS,
  price_version: null,
} as const;
/** 1000 input tokens at 10 microcents, 100 output tokens at 100. */
const price = {
  provider: "openai",
  model: "in-house",
  input_per_million_cents: 100,
  output_per_million_cents: 1000,
} as const;
const COST = 20_000;

describe.each(systemEngines)("rerating over the web API, on %s", engine => {
  let lab: ControlLab;
  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
  });
  afterAll(() => lab.stop());

  const period = () => ({
    from: new Date(lab.clock.now() - DAY_MS).toISOString(),
    to: new Date(lab.clock.now() + DAY_MS).toISOString(),
  });

  /** Two calls of a model that gets a price afterwards, one that never gets one, one whose cost the provider stated. */
  async function organization() {
    const org = await lab.organization();
    await org.addEvents(
      { ...unpriced, model: "in-house" },
      { ...unpriced, model: "in-house" },
      { ...unpriced, model: "nobody-knows" },
      { model: "gpt-4o-mini", cost_basis: "reported", cost_microcents: microcents(700) },
    );
    await org.addEvents({ ...unpriced, model: "in-house", mode: "test" });
    lab.clock.advance(1000);
    return org;
  }

  const unknown = { cost_microcents: null, unpriced_calls: 1 };
  const inHouse = {
    provider: "openai",
    model: "in-house",
    call_count: 2,
    changed_calls: 2,
    booked: { cost_microcents: null, unpriced_calls: 2 },
    rerated: { cost_microcents: 2 * COST, unpriced_calls: 0 },
    difference_microcents: 2 * COST,
  };

  it("MON-013 shows booked and rerated costs by model; unknown costs stay unknown", async () => {
    const { client } = await organization();
    await client.call("prices.overrides.set", price);
    const asSet = await client.call("prices.rerating.preview", period());
    expect(asSet.total).toMatchObject({ changed_calls: 0, difference_microcents: 0 });
    const preview = await client.call("prices.rerating.preview", { ...period(), own_prices: "always" });
    expect(preview).toMatchObject({
      applied: false,
      omitted_models: 0,
      total: {
        call_count: 4,
        changed_calls: 2,
        booked: { cost_microcents: 700, unpriced_calls: 3 },
        rerated: { cost_microcents: 700 + 2 * COST, unpriced_calls: 1 },
        difference_microcents: 2 * COST,
      },
    });
    expect(preview.by_model).toEqual([
      inHouse,
      {
        provider: "openai",
        model: "gpt-4o-mini",
        call_count: 1,
        changed_calls: 0,
        booked: { cost_microcents: 700, unpriced_calls: 0 },
        rerated: { cost_microcents: 700, unpriced_calls: 0 },
        difference_microcents: 0,
      },
      {
        provider: "openai",
        model: "nobody-knows",
        call_count: 1,
        changed_calls: 0,
        booked: unknown,
        rerated: unknown,
        difference_microcents: null,
      },
    ]);
    const one = await client.call("prices.rerating.preview", { ...period(), model: "nobody-knows" });
    expect(one.by_model.map(({ model }) => model)).toEqual(["nobody-knows"]);
    expect((await client.call("analytics.get", {})).summary).toMatchObject({ unpriced_calls: 3 });
  });

  it("MON-013 MON-014 books a difference once, and only of its own mode", async () => {
    const { client, testClient } = await organization();
    await client.call("prices.overrides.set", price);
    const asked = { ...period(), own_prices: "always" } as const;
    expect(await client.call("prices.rerating.apply", asked)).toMatchObject({
      applied: true,
      total: { changed_calls: 2, difference_microcents: 2 * COST },
    });
    await eventually("the totals follow", async () => {
      const { summary } = await client.call("analytics.get", {});
      return summary.total_cost_microcents === 700 + 2 * COST && summary.unpriced_calls === 1;
    });
    const again = await client.call("prices.rerating.apply", asked);
    expect(again.total).toMatchObject({
      changed_calls: 0,
      booked: { cost_microcents: 700 + 2 * COST, unpriced_calls: 1 },
      difference_microcents: 0,
    });
    const test = await testClient.call("prices.rerating.preview", asked);
    expect(test.total).toMatchObject({ call_count: 1, changed_calls: 1 });
    const { entries } = await client.call("audit.list", { operation: "prices.rerating.apply" });
    expect(entries).toHaveLength(2);
  });

  it("MON-017 is booked beside the event: neither that, nor a budget, nor what a webhook was sent changes", async () => {
    const org = await lab.organization();
    const { client } = org;
    const webhook = await client.call("webhooks.register", {
      orgId: org.id,
      url: "http://127.0.0.1:9/",
      events: ["event.created"],
      secret: "s",
    });
    const budget = await client.call("budgets.create", {
      period: "daily",
      limit_microcents: 10 * COST,
      enforcement_mode: "alert_only",
    });
    lab.clock.advance(1);
    const [unknown] = await org.addEvents(
      { ...unpriced, model: "in-house" },
      { model: "gpt-4o-mini", cost_basis: "reported", cost_microcents: microcents(700) },
    );
    if (unknown === undefined) throw new Error("no event was added");
    const deliveries = () => client.call("webhooks.deliveries.list", { id: webhook.id });
    const sent = async () =>
      Promise.all(
        (await deliveries()).deliveries.map(
          async ({ id }) => (await client.call("webhooks.deliveries.get", { id })).body,
        ),
      );
    await eventually("both events are sent", async () => (await deliveries()).deliveries.length === 2);
    const before = { sent: await sent(), event: await client.call("events.get", { id: unknown.id }) };

    await client.call("prices.overrides.set", price);
    lab.clock.advance(1);
    await client.call("prices.rerating.apply", { ...period(), own_prices: "always" });
    await eventually("the totals follow", async () => {
      const { summary } = await client.call("analytics.get", {});
      return summary.total_cost_microcents === 700 + COST;
    });
    expect(await client.call("events.get", { id: unknown.id })).toEqual({
      ...before.event,
      adjustment_microcents: COST,
      is_unpriced: false,
    });
    expect(await client.call("budgets.get", { id: budget.id })).toMatchObject({
      current_spending_microcents: 700,
    });
    expect(await sent()).toEqual(before.sent);
  });

  it("is for admins, refuses a period that is upside down, and does not see other organizations", async () => {
    const { id, client } = await organization();
    const viewer = await lab.member(id, "viewer");
    const query = new URLSearchParams(period());
    expect((await viewer.send(`${lab.url}/api/prices/rerating?${query}`)).status).toBe(403);
    const { from, to } = period();
    expect((await refusal(client.call("prices.rerating.preview", { from: to, to: from }))).status).toBe(400);
    const other = await lab.organization();
    expect((await other.client.call("prices.rerating.preview", period())).total).toMatchObject({
      call_count: 0,
      booked: { cost_microcents: 0, unpriced_calls: 0 },
    });
  });
});
