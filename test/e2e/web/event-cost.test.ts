import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { adjustmentOf, rerate } from "@tollgate/core/pricing/rerate";
import { DAY_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { expectExplained } from "../../support/expect-explained.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { adjust } from "../../support/labs/read-model-lab.ts";

const databases = controlDatabases();
const unpriced = {
  model: "brand-new",
  served_model: null,
  cost_basis: "unpriced",
  cost_microcents: ZERO_MICROCENTS,
  price_version: null,
} as const;

/** Prices that were unknown when the calls were made. */
const later = createCatalogue({
  overrides: parsePriceOverrides(
    ["brand-new", "helper"].map(model => ({
      provider: "openai",
      model,
      input_per_million_cents: 100,
      output_per_million_cents: 1000,
    })),
  ),
});

describe.each(systemEngines)("GET /api/events/:id/cost on %s", engine => {
  let lab: ControlLab;
  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
  });
  afterAll(() => lab.stop());

  async function oneEvent(change: Partial<Event>) {
    const org = await lab.organization();
    const [event] = await org.addEvents(change);
    if (event === undefined) throw new Error("no event was added");
    return { ...org, event, explain: () => org.client.call("events.cost", { id: event.id }) };
  }

  async function book(event: Event): Promise<void> {
    const adjustment = adjustmentOf(rerate(event, null, later), undefined);
    if (adjustment === null) throw new Error("there is nothing to rerate");
    await lab.db
      .insertInto("adjustments")
      .values({ ...adjustment, created_at: lab.clock.now() })
      .execute();
  }

  it("MON-020 explains a priced event: its lines, its rate card, and their sum as its cost", async () => {
    const { event, explain } = await oneEvent({ usage: { input: 1000, cache_read: 501, output: 100 } });
    const explanation = await explain();
    expectExplained(explanation);
    expect(explanation).toMatchObject({
      event_id: event.id,
      cost_basis: "priced",
      cost_microcents: event.cost_microcents,
      adjustment_microcents: 0,
      is_unpriced: false,
      lines: [
        { kind: "input", count: 1000, rate_microcents: "1.5", amount_microcents: "1500" },
        { kind: "cache_read", count: 501, rate_microcents: "0.75", amount_microcents: "375.75" },
        { kind: "output", count: 100, rate_microcents: "6", amount_microcents: "600" },
        { type: "rounding", amount_microcents: "0.25" },
      ],
      rate_cards: [{ price_version: event.price_version, provider: "openai", model: "gpt-4o-mini" }],
    });
  });

  it("MON-020 explains ingested events, by the sender's id", async () => {
    const { client } = await oneEvent({
      external_id: "sent id/1",
      source: "ingest",
      cost_basis: "reported",
      cost_microcents: microcents(77),
      price_version: null,
    });
    const explanation = await client.call("events.cost", { id: "sent id/1" });
    expectExplained(explanation);
    expect(explanation).toMatchObject({
      event_id: "sent id/1",
      explanation: "Reported: the amount was sent with the event, and is kept as it is.",
      lines: [{ type: "reported", amount_microcents: "77" }],
      rate_cards: [],
    });
  });

  it("MON-020 explains a rerating, with the rates of every model used in the call", async () => {
    const { event, explain, client } = await oneEvent({
      ...unpriced,
      usage: { input: 1000, output: 100 },
      additional_usage: [{ model: "helper", usage: { input: 10 }, price_version: null }],
    });
    const before = await explain();
    expectExplained(before);
    expect(before).toMatchObject({ is_unpriced: true, total_microcents: 0 });
    await book(event);
    const after = await explain();
    expectExplained(after);
    // 1000 × 10 + 100 × 100, and 10 × 10 for the helper.
    expect(after).toMatchObject({
      is_unpriced: false,
      adjustment_microcents: 20_100,
      total_microcents: 20_100,
    });
    expect(after.lines.at(-1)).toMatchObject({
      type: "adjustment",
      amount_microcents: "20100",
      rerated: { lines: [{ model: "brand-new" }, { model: "brand-new" }, { model: "helper", count: 10 }] },
    });
    expect(after.rate_cards.map(({ model, source }) => [model, source])).toEqual([
      ["brand-new", "file"],
      ["helper", "file"],
    ]);
    const shown = await client.call("events.get", { id: event.id });
    expect(shown.cost_microcents + shown.adjustment_microcents).toBe(after.total_microcents);
  });

  it("MON-020 adds up reratings whose rates were not recorded", async () => {
    const { event, explain } = await oneEvent({});
    await adjust(lab.database, event, 5);
    await adjust(lab.database, event, -7);
    const explanation = await explain();
    expectExplained(explanation);
    expect(explanation.total_microcents).toBe(event.cost_microcents - 2);
    expect(explanation.lines.slice(-2)).toMatchObject([
      { type: "adjustment", amount_microcents: "5", rerated: null },
      { type: "adjustment", amount_microcents: "-7", rerated: null },
    ]);
  });

  it("MON-020 is not found in another organization, in the other mode, or beyond the tier's history", async () => {
    const { event, testClient } = await oneEvent({});
    const other = await lab.organization();
    for (const client of [other.client, testClient]) {
      expect((await refusal(client.call("events.cost", { id: event.id }))).status).toBe(404);
    }
    const starter = await lab.organization("starter");
    const [old] = await starter.addEvents({ created_at: lab.clock.now() - 8 * DAY_MS });
    expect((await refusal(starter.client.call("events.cost", { id: old?.id ?? "" }))).status).toBe(404);
    expect((await refusal(starter.client.call("events.cost", { id: "nothing" }))).status).toBe(404);
  });
});
