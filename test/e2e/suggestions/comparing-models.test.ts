import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

describe("comparing models", () => {
  let lab: ControlLab;
  beforeAll(async () => {
    lab = await startControlLab();
  });
  afterAll(() => lab.stop());

  it("OPT-008 answers in an organization without any event, lists what it excluded, and compares prices with the current model", async () => {
    const { client } = await lab.organization("starter");
    const all = await client.call("models.compare", {});
    expect(all.models.length).toBe(50);
    expect(all.omitted_count).toBe(all.model_count - 50);
    expect(all.current_model_info).toBeNull();
    expect(all.models.every(({ savings_vs_current_pct: pct }) => pct === null)).toBe(true);

    const efficient = await client.call("models.compare", {
      tier: "efficient",
      provider: "openai",
      current_model: "gpt-4o",
    });
    expect(efficient.models.length).toBeGreaterThan(2);
    expect(new Set(efficient.models.map(({ tier, provider }) => `${tier} ${provider}`))).toEqual(
      new Set(["efficient openai"]),
    );
    expect(efficient.current_model_info).toMatchObject({
      model: "gpt-4o",
      tier: "balanced",
      input_cost_per_1m_cents: 250,
      output_cost_per_1m_cents: 1000,
      context_window: 128_000,
      supports_batch: true,
      supports_caching: true,
      savings_vs_current_pct: 0,
    });
    // (3 × 15 + 60) ÷ 4 = 26.25 cents against (3 × 250 + 1000) ÷ 4 = 437.5.
    expect(efficient.models.find(({ model }) => model === "gpt-4o-mini")).toMatchObject({
      input_cost_per_1m_cents: 15,
      output_cost_per_1m_cents: 60,
      savings_vs_current_pct: 94,
    });
    const dearer = await client.call("models.compare", { tier: "frontier", current_model: "gpt-4o-mini" });
    expect(dearer.models.every(({ savings_vs_current_pct: pct }) => pct !== null && pct < 0)).toBe(true);
  });

  it("states the prices of several models in one answer, and of which none is known", async () => {
    const { client } = await lab.organization();
    const { models } = await client.call("models.prices", {
      models: "gpt-4o-2024-08-06,no-such,gpt-4o-2024-08-06",
    });
    expect(models).toMatchObject([
      { name: "gpt-4o-2024-08-06", price: { model: "gpt-4o", input_cost_per_1m_cents: 250 } },
      { name: "no-such", price: null },
    ]);
    const many = Array.from({ length: 101 }, (_, index) => `m-${index}`).join(",");
    expect((await refusal(client.call("models.prices", { models: many }))).status).toBe(400);
  });

  it("OPT-008 rejects an unknown provider or current model", async () => {
    const { client } = await lab.organization();
    expect((await refusal(client.call("models.compare", { provider: "nobody" }))).status).toBe(400);
    expect((await refusal(client.call("models.compare", { current_model: "no-such" }))).status).toBe(400);
  });
});
