import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { refusal } from "../../support/clients/refusal.ts";
import { controlDatabases, engines } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { verdictRow } from "../../support/labs/verdict-row.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();

type Organization = Awaited<ReturnType<ControlLab["organization"]>>;

/** A gpt-4o call with a short answer: 1000 × 25 + 50 × 100 microcents. With gpt-4.1-nano it is 1000 × 1 + 50 × 4. */
const CALL: Partial<Event> = {
  model: "gpt-4o",
  requested_model: "gpt-4o",
  served_model: "gpt-4o-2024-08-06",
  usage: { input: 1000, output: 50 },
  cost_microcents: 30_000 as Event["cost_microcents"],
  request_hash: null,
};
const SAVED = 28_800;

const calls = (count: number, change: Partial<Event>) =>
  Array.from({ length: count }, (): Partial<Event> => ({ ...CALL, ...change }));

/** The profile lags behind the read model: waits until it has all calls of the organization. */
async function isProfiled({ client }: Organization, agentId: string, enough: number): Promise<void> {
  await eventually("the profile has the calls", async () => {
    const { insufficient_data: few } = await client.call("suggestions.list", { agent_id: agentId });
    return enough >= 20 ? few.length === 0 : few[0]?.reason.startsWith(`${enough} calls`) === true;
  });
}

for (const engine of engines) {
  describe(`suggestions on ${engine}`, () => {
    let lab: ControlLab;
    let organization: Organization;
    let wasteful: string;
    let small: string;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine), undefined, {
        tierPrices: { lite: 100, pro: 5000 },
      });
      organization = await lab.organization();
      await organization.addEvents(
        ...calls(40, { agent_key: "wasteful" }),
        ...calls(3, { agent_key: "small" }),
        ...calls(25, {
          agent_key: "thrifty",
          model: "gpt-4.1-nano",
          cost_microcents: 1200 as Event["cost_microcents"],
        }),
      );
      wasteful = organization.agentId("wasteful");
      small = organization.agentId("small");
      await isProfiled(organization, organization.agentId("thrifty"), 25);
      await isProfiled(organization, small, 3);
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

    it("OPT-018 OPT-004 offers and applies no model that a valid verdict found worse", async () => {
      const other = await lab.organization();
      await other.addEvents(...calls(40, { agent_key: "a" }), ...calls(40, { agent_key: "b" }));
      const [a, b] = [other.agentId("a"), other.agentId("b")];
      const suggested = async (agentId: string) => {
        const { suggestions } = await other.client.call("suggestions.list", { agent_id: agentId });
        return suggestions[0]?.evidence.recommended_model;
      };
      await eventually("the profile has the calls", async () => (await suggested(b)) === "gpt-4.1-nano");
      const now = lab.clock.now();
      const worse = { agent_id: a, candidate_model: "gpt-4.1-nano", verdict: "degrades" };
      await lab.db
        .insertInto("verdicts")
        .values([
          verdictRow(lab, other.id, { ...worse, mode: "test" }),
          verdictRow(lab, other.id, { ...worse, task_category: "code" }),
          verdictRow(lab, other.id, { ...worse, expires_at: now }),
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

    it("ROI-007 OPT-004 on Starter the upgrade's ROI is shown, and an optimization can be applied", async () => {
      const starter = await lab.organization("starter");
      await starter.addEvents(
        ...calls(40, { agent_key: "wasteful" }),
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
        await starter.addEvents(...calls(5, { created_at: lab.clock.now() - 30_000 }));
        const { usage, recommended_tier } = await starter.client.call("upgrade_justification.get", {});
        expect(usage).toMatchObject({ calls_this_month: 5, projected_calls_this_month: 145 });
        expect(recommended_tier).toBeNull();
      } finally {
        lab.clock.set(before);
      }
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

    it.each<[string, () => Record<string, unknown>, number, RegExp]>([
      ["an unknown type", () => ({ optimization_type: "magic" }), 400, /must be one of model_switch/],
      [
        "a type that only people can apply",
        () => ({ optimization_type: "batching" }),
        400,
        /the gateway cannot apply/,
      ],
      [
        "a suggestion that is not current",
        () => ({ optimization_type: "prompt_caching" }),
        400,
        /do not suggest it/,
      ],
      [
        "an agent with too few calls",
        () => ({ id: small, optimization_type: "model_switch" }),
        400,
        /3 calls/,
      ],
      ["an unknown agent", () => ({ id: "nobody", optimization_type: "model_switch" }), 404, /no such agent/],
      [
        "a model without a price",
        () => ({ optimization_type: "model_switch", payload: { model: "no-such" } }),
        400,
        /payload.model/,
      ],
      [
        "a model without text output",
        () => ({ optimization_type: "model_switch", payload: { model: "text-embedding-3-small" } }),
        400,
        /not suited to agent calls/,
      ],
      [
        "an invalid model name",
        () => ({ optimization_type: "model_switch", payload: { model: 1 } }),
        400,
        /payload.model/,
      ],
      [
        "an unknown field",
        () => ({ optimization_type: "model_switch", payload: { speed: 1 } }),
        400,
        /payload.speed/,
      ],
    ])("OPT-004 refuses %s, and nothing changes", async (_, change, status, sentence) => {
      const input = { id: wasteful, optimization_type: "model_switch", ...change() };
      const refused = await refusal(organization.client.call("agents.optimizations.apply", input));
      expect(refused.status).toBe(status);
      expect(refused.message).toMatch(sentence);
      const rows = await lab.db
        .selectFrom("optimizations")
        .select("id")
        .where("org_id", "=", organization.id)
        .execute();
      expect(rows).toEqual([]);
    });

    it("OPT-004 OPT-018 applies a current suggestion, replaces it, shows the saving, and undoes it", async () => {
      const { client } = organization;
      const first = await client.call("agents.optimizations.apply", {
        id: wasteful,
        optimization_type: "model_switch",
      });
      expect(first).toMatchObject({
        applied: true,
        optimization: { payload: { model: "gpt-4.1-nano" }, source: "suggestion", undone_at: null },
      });
      // Once applied, it is no longer suggested; other values can still be given.
      expect((await client.call("suggestions.list", {})).suggestions).toEqual([]);
      const dated = { payload: { model: "openai/gpt-4o-mini" } };
      const second = await client.call("agents.optimizations.apply", {
        id: wasteful,
        optimization_type: "model_switch",
        ...dated,
      });
      expect(second.optimization.payload).toEqual({ model: "gpt-4o-mini" });
      const listed = await client.call("agents.optimizations.list", { id: wasteful });
      expect(listed.optimizations.map(({ id, undone_at }) => [id, undone_at === null])).toEqual([
        [second.optimization.id, true],
        [first.optimization.id, false],
      ]);

      const switched = {
        agent_key: "wasteful",
        model: "gpt-4o-mini",
        cost_microcents: 1800 as Event["cost_microcents"],
      };
      await organization.addEvents(
        // 1000 × 1.5 + 50 × 6 = 1800 instead of 30,000.
        ...calls(3, switched),
        ...calls(1, { ...switched, requested_model: "openai/gpt-4o" }),
        // Not due to the switch: requested by name, an experiment's treatment, another agent.
        ...calls(1, { ...switched, requested_model: "openai/gpt-4o-mini" }),
        ...calls(1, { ...switched, experiment_id: "e", arm: "treatment" }),
        ...calls(1, { ...switched, agent_key: "thrifty" }),
      );
      const applied = async () => (await client.call("dashboard.get", {})).optimization.applied;
      await eventually("the saving is added up", async () => (await applied())[0]?.calls_since === 4);
      expect(await applied()).toEqual([
        {
          optimization_id: second.optimization.id,
          agent_id: wasteful,
          type: "model_switch",
          model: "gpt-4o-mini",
          applied_at: "2026-11-15T12:00:00.000Z",
          calls_since: 4,
          saved_microcents: 4 * 28_200,
        },
      ]);

      const undo = { id: wasteful, optimization_id: second.optimization.id };
      const undone = await client.call("agents.optimizations.undo", undo);
      expect(undone).toMatchObject({ undone: true, optimization: { undone_at: "2026-11-15T12:00:00.000Z" } });
      expect(await client.call("agents.optimizations.undo", undo)).toEqual(undone);
      expect(await applied()).toEqual([]);
      const foreign = { id: small, optimization_id: second.optimization.id };
      expect((await refusal(client.call("agents.optimizations.undo", foreign))).status).toBe(404);
    });

    it("of two concurrent applications one is in force", async () => {
      const { client } = organization;
      const apply = (model: string) =>
        client.call("agents.optimizations.apply", {
          id: wasteful,
          optimization_type: "model_switch",
          payload: { model },
        });
      await Promise.all(["gpt-4.1-nano", "gpt-4o-mini", "gpt-4.1-mini"].map(apply));
      const { optimizations } = await client.call("agents.optimizations.list", { id: wasteful });
      expect(optimizations.filter(({ undone_at }) => undone_at === null).length).toBe(1);
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

    it("OPT-006 accepts another limit for token_guardrails from 1 to 1,000,000", async () => {
      const long = {
        agent_key: "wordy",
        request_hash: null,
        model: "gpt-4.1-nano",
        requested_model: "gpt-4.1-nano",
      };
      await organization.addEvents(
        ...calls(59, { ...long, usage: { input: 10, output: 200 }, output_tokens: 200 }),
        ...calls(1, { ...long, usage: { input: 10, output: 30_000 }, output_tokens: 30_000 }),
      );
      const id = organization.agentId("wordy");
      await isProfiled(organization, id, 60);
      const { suggestions } = await organization.client.call("suggestions.list", { agent_id: id });
      expect(suggestions).toMatchObject([{ type: "token_guardrails", one_click: true }]);
      const apply = (payload?: Record<string, unknown>) =>
        organization.client.call("agents.optimizations.apply", {
          id,
          optimization_type: "token_guardrails",
          ...(payload ? { payload } : {}),
        });
      for (const max_output_tokens of [0, 1_000_001, 1.5, "9"]) {
        expect((await refusal(apply({ max_output_tokens }))).status).toBe(400);
      }
      expect((await apply()).optimization.payload).toEqual({ max_output_tokens: 256 });
      for (const max_output_tokens of [1, 1_000_000]) {
        expect((await apply({ max_output_tokens })).optimization.payload).toEqual({ max_output_tokens });
      }
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

  it("OPT-008 rejects an unknown provider or current model", async () => {
    const { client } = await lab.organization();
    expect((await refusal(client.call("models.compare", { provider: "nobody" }))).status).toBe(400);
    expect((await refusal(client.call("models.compare", { current_model: "no-such" }))).status).toBe(400);
  });
});
