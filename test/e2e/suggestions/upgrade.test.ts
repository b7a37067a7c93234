import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { gpt4oCalls } from "../../support/labs/suggestion-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();

for (const engine of systemEngines) {
  describe(`suggestions on ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine), undefined, {
        tierPrices: { lite: 100, pro: 5000 },
      });
    });
    afterAll(() => lab.stop());

    it("ROI-007 OPT-004 on Starter the upgrade's ROI is shown, and an optimization can be applied", async () => {
      const starter = await lab.organization("starter");
      await starter.addEvents(
        ...gpt4oCalls(40, { agent_key: "wasteful" }),
        // Imported today, from before the agent was known here.
        { created_at: lab.clock.now() - 30 * 86_400_000, agent_key: "wasteful", source: "ingest" },
      );
      const justify = () => starter.client.call("upgrade_justification.get", {});
      await eventually(
        "the savings are known",
        async () => (await justify()).upgrade.roi_multiplier !== null,
      );
      const report = await justify();
      expect(report.estimated_savings_monthly_cents).toBe(345.6);
      expect(report.upgrade).toEqual({
        target_tier: "lite",
        price_monthly_cents: 100,
        extra_cost_monthly_cents: 100,
        benefit_monthly_cents: 345.6,
        net_monthly_cents: 245.6,
        roi_multiplier: 3.46,
        note: null,
      });
      expect(report.limits.find(({ limit }) => limit === "history_days")).toMatchObject({ used: 30 });
      expect(report).toMatchObject({ recommended_tier: null, reasons: [] });
      const applied = await starter.client.call("agents.optimizations.apply", {
        id: starter.agentId("wasteful"),
        optimization_type: "model_switch",
      });
      expect(applied.applied).toBe(true);
    });

    it("ROI-007 a few calls at the start of a month are projected by the day, not by the minute", async () => {
      const starter = await lab.organization("starter");
      const before = new Date(lab.clock.now()).toISOString();
      lab.clock.set("2027-02-01T00:01:00.000Z");
      try {
        await starter.addEvents(...gpt4oCalls(5, { created_at: lab.clock.now() - 30_000 }));
        const { usage, recommended_tier } = await starter.client.call("upgrade_justification.get", {});
        expect(usage).toMatchObject({ calls_this_month: 5, projected_calls_this_month: 145 });
        expect(recommended_tier).toBeNull();
      } finally {
        lab.clock.set(before);
      }
    });
  });
}
