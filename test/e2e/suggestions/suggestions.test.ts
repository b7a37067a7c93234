import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import type { ControlLab } from "../../support/labs/control-lab.ts";
import type { LabOrganization } from "../../support/labs/experiment-lab.ts";
import { gpt4oCalls, startSuggestionLab } from "../../support/labs/suggestion-lab.ts";
import { verdictRow } from "../../support/rows/verdict-row.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const SAVED = 28_800;

for (const engine of systemEngines) {
  describe(`suggestions on ${engine}`, () => {
    let lab: ControlLab;
    let organization: LabOrganization;
    let wasteful: string;
    let small: string;
    beforeAll(async () => {
      ({ lab, organization, wasteful, small } = await startSuggestionLab(await databases.place(engine)));
    });
    afterAll(() => lab.stop());

    it("OPT-001 OPT-002 OPT-018 covers the fleet, or one agent, with the savings of its own calls", async () => {
      const fleet = await organization.client.call("suggestions.list", {});
      expect(fleet).toMatchObject({
        suggestion_count: 1,
        // 40 × 28,800 microcents in one day, times 30.
        total_monthly_savings_cents: 345.6,
        agents_examined: 3,
        insufficient_data_count: 1,
        checks_run: [
          "model_switch",
          "token_guardrails",
          "prompt_caching",
          "batching",
          "retry_storms",
          "context_trimming",
          "idle_agents",
        ],
        computed_at: "2026-11-15T12:00:00.000Z",
        period: { from: "2026-10-17T00:00:00.000Z", to: "2026-11-15T12:00:00.000Z" },
      });
      expect(fleet.suggestions).toMatchObject([
        {
          type: "model_switch",
          agent_id: wasteful,
          agent_name: "wasteful",
          impact_monthly_cents: 345.6,
          savings_pct: 96,
          // 0.8 × 40 ÷ 90 calls × 1 ÷ 2 days
          confidence: 0.18,
          one_click: true,
          evidence: { calls: 40, saved_microcents: 40 * SAVED, current_model: "gpt-4o" },
        },
      ]);
      expect(fleet.insufficient_data).toEqual([
        { agent_id: small, agent_name: "small", reason: "3 calls in this period; at least 20 are needed" },
      ]);
      const one = await organization.client.call("suggestions.list", { agent_id: wasteful });
      expect(one).toEqual({
        ...fleet,
        agents_examined: 1,
        insufficient_data: [],
        insufficient_data_count: 0,
      });
      const other = await organization.client.call("suggestions.list", { agent_id: small });
      expect(other).toMatchObject({ suggestions: [], total_monthly_savings_cents: 0, agents_examined: 1 });
    });

    it("counts days without calls: one busy day of an old agent is no month of them", async () => {
      const old = await lab.organization();
      await old.addEvents(
        { agent_key: "job", created_at: lab.clock.now() - 200 * DAY_MS },
        ...gpt4oCalls(1000, { agent_key: "job", created_at: lab.clock.now() - HOUR_MS }),
      );
      const suggested = async () => (await old.client.call("suggestions.list", {})).suggestions[0];
      // More calls than the profile reads at once.
      await eventually("the profile has all calls", async () => (await suggested())?.evidence.calls === 1000);
      // 1000 × 28,800 microcents in 30 days.
      expect(await suggested()).toMatchObject({
        type: "model_switch",
        impact_monthly_cents: 288,
        evidence: { observed_days: 30 },
      });
      const leaks = await old.client.call("cost_leak_scan.run", {});
      expect(leaks.findings.find(({ check }) => check === "model_overprovisioning")).toMatchObject({
        evidence: { observed_days: 30 },
      });
    });

    it("OPT-001 shows attributed revenue, and none with include_revenue false", async () => {
      for (const outcome of [
        { outcome_type: "revenue", value_cents: 1234 },
        { outcome_type: "cost_saving", value_cents: 70 },
        { outcome_type: "revenue", value_cents: 50, success: false },
        { value_cents: 9 },
      ]) {
        await organization.client.call("outcomes.create", { name: "sold", agent_id: wasteful, ...outcome });
      }
      // A period ends before now, as in every other answer.
      lab.clock.advance(1);
      const withRevenue = await organization.client.call("suggestions.list", {});
      expect(withRevenue.total_attributed_revenue_cents).toBe(1234);
      expect(withRevenue.suggestions).toMatchObject([{ is_revenue: false, attributed_revenue_cents: 1234 }]);
      const without = await organization.client.call("suggestions.list", { include_revenue: false });
      expect(JSON.stringify(without)).not.toMatch(/revenue|attributed/);
      expect(without.suggestions.length).toBe(1);
      lab.clock.advance(-1);
    });

    /** To both, the cheapest model is suggested. */
    const twoAgents = async () => {
      const other = await lab.organization();
      await other.addEvents(...gpt4oCalls(40, { agent_key: "a" }), ...gpt4oCalls(40, { agent_key: "b" }));
      const [a, b] = [other.agentId("a"), other.agentId("b")];
      const suggested = async (agentId: string) => {
        const { suggestions } = await other.client.call("suggestions.list", { agent_id: agentId });
        return suggestions[0]?.evidence.recommended_model;
      };
      await eventually("the profile has the calls", async () => (await suggested(b)) === "gpt-4.1-nano");
      return { other, a, b, suggested };
    };

    it("OPT-018 OPT-004 offers and applies no model that a valid verdict found worse", async () => {
      const { other, a, b, suggested } = await twoAgents();
      const now = lab.clock.now();
      const worse = { agent_id: a, candidate_model: "gpt-4.1-nano", verdict: "degrades" };
      await lab.db
        .insertInto("verdicts")
        .values([
          verdictRow(lab, other.id, { ...worse, mode: "test" }),
          verdictRow(lab, other.id, { ...worse, task_category: "code" }),
          verdictRow(lab, other.id, { ...worse, expires_at: now }),
          verdictRow(lab, other.id, { ...worse, prod_model: "gpt-4.1" }),
        ])
        .execute();
      expect(await suggested(a)).toBe("gpt-4.1-nano");
      await lab.db
        .insertInto("verdicts")
        .values(verdictRow(lab, other.id, { ...worse, concluded_at: now - 1 }))
        .execute();
      expect([await suggested(a), await suggested(b)]).toEqual(["gpt-4o-mini", "gpt-4.1-nano"]);
      const { optimization } = await other.client.call("agents.optimizations.apply", {
        id: a,
        optimization_type: "model_switch",
      });
      expect(optimization.payload).toEqual({ model: "gpt-4o-mini" });
    });

    it("OPT-018 LOOP-034 offers no model again to which the breaker has undone a switch, until a later verdict", async () => {
      const { other, a, b, suggested } = await twoAgents();
      const { optimization } = await other.client.call("agents.optimizations.apply", {
        id: a,
        optimization_type: "model_switch",
      });
      await other.client.call("agents.optimizations.undo", { id: a, optimization_id: optimization.id });
      expect(await suggested(a)).toBe("gpt-4.1-nano");
      await lab.db
        .updateTable("actuations")
        .set({ authority: "breaker" })
        .where("subject_id", "=", optimization.id)
        .where("change", "=", "undo")
        .execute();
      expect([await suggested(a), await suggested(b)]).toEqual(["gpt-4o-mini", "gpt-4.1-nano"]);
      const now = lab.clock.now();
      const holds = { agent_id: a, candidate_model: "gpt-4.1-nano", verdict: "holds" };
      await lab.db
        .insertInto("verdicts")
        .values([
          verdictRow(lab, other.id, { ...holds, concluded_at: now - 1 }),
          verdictRow(lab, other.id, { ...holds, concluded_at: now + 1, expires_at: now }),
        ])
        .execute();
      expect(await suggested(a)).toBe("gpt-4o-mini");
      await lab.db
        .insertInto("verdicts")
        .values(verdictRow(lab, other.id, { ...holds, concluded_at: now + 2 }))
        .execute();
      expect(await suggested(a)).toBe("gpt-4.1-nano");
    });

    it("keeps modes, organizations and tiers separate", async () => {
      const test = await organization.testClient.call("suggestions.list", {});
      expect(test).toMatchObject({ suggestions: [], agents_examined: 0 });
      expect(
        (await refusal(organization.testClient.call("suggestions.list", { agent_id: wasteful }))).status,
      ).toBe(404);
      const other = await lab.organization();
      expect((await refusal(other.client.call("suggestions.list", { agent_id: wasteful }))).status).toBe(404);
      const apply = { id: wasteful, optimization_type: "model_switch" };
      expect((await refusal(other.client.call("agents.optimizations.apply", apply))).status).toBe(404);
      const starter = await lab.organization("starter");
      expect((await refusal(starter.client.call("suggestions.list", {}))).status).toBe(402);
    });

    it("the dashboard shows the total of the suggestions", async () => {
      const suggestions = await organization.client.call("suggestions.list", {});
      const { optimization } = await organization.client.call("dashboard.get", {});
      expect(optimization).toMatchObject({
        total_savings_cents: suggestions.total_monthly_savings_cents,
        suggestion_count: suggestions.suggestion_count,
        top_suggestion: suggestions.suggestions[0]?.title ?? null,
      });
    });

    it("OPT-007 routes to a model for each complexity, never more expensive for the easier one", async () => {
      const route = (task_complexity: "low" | "medium" | "high", current_model?: string) =>
        organization.client.call("agents.route", {
          id: wasteful,
          task_complexity,
          ...(current_model === undefined ? {} : { current_model }),
        });
      const { models } = await organization.client.call("models.compare", { provider: "openai" });
      const routes = await Promise.all([route("low"), route("medium"), route("high")]);
      const prices = routes.map(({ recommended_model: name }) => models.find(({ model }) => model === name));
      for (const [easier, harder] of [
        [prices[0], prices[1]],
        [prices[1], prices[2]],
      ]) {
        if (!easier || !harder)
          throw new Error(`a model that cannot be compared: ${routes.map(route => route.recommended_model)}`);
        expect(easier.input_cost_per_1m_cents).toBeLessThanOrEqual(harder.input_cost_per_1m_cents);
        expect(easier.output_cost_per_1m_cents).toBeLessThanOrEqual(harder.output_cost_per_1m_cents);
      }
      expect(routes.map(({ provider }) => provider)).toEqual(["openai", "openai", "openai"]);
      expect(routes[0]).toMatchObject({
        recommended_model: "gpt-4o-mini",
        current_model: "gpt-4o",
        task_complexity: "low",
      });
      expect(routes[0]?.estimated_savings_pct).toBeGreaterThan(90);
      expect(await route("low", "claude-opus-4-5")).toMatchObject({
        recommended_model: "gpt-4o-mini",
        current_model: "claude-opus-4-5",
      });
      expect(await route("low", "nobody-knows")).toMatchObject({ estimated_savings_pct: null });
    });
  });
}
