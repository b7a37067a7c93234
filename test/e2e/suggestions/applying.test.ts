import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import type { ControlLab } from "../../support/labs/control-lab.ts";
import type { LabOrganization } from "../../support/labs/experiment-lab.ts";
import { gpt4oCalls, isProfiled, startSuggestionLab } from "../../support/labs/suggestion-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();

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
        ...gpt4oCalls(3, switched),
        ...gpt4oCalls(1, { ...switched, requested_model: "openai/gpt-4o" }),
        // Not due to the switch: requested by name, an experiment's treatment, another agent.
        ...gpt4oCalls(1, { ...switched, requested_model: "openai/gpt-4o-mini" }),
        ...gpt4oCalls(1, { ...switched, experiment_id: "e", arm: "treatment" }),
        ...gpt4oCalls(1, { ...switched, agent_key: "thrifty" }),
      );
      const applied = async () => (await client.call("optimizations.summary")).applied;
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

    it("a summary has what is suggested to and applied by its own organization, as the dashboard's answer has", async () => {
      const { client } = organization;
      const own = await client.call("optimizations.summary");
      const listed = await client.call("suggestions.list", {});
      expect(own.applied).toMatchObject([{ agent_id: wasteful, type: "model_switch" }]);
      expect([own.suggestion_count, own.total_savings_cents]).toEqual([
        listed.suggestions.length,
        listed.total_monthly_savings_cents,
      ]);
      expect((await client.call("dashboard.get", {})).optimization).toEqual(own);
      const { client: stranger } = await lab.organization();
      expect(await stranger.call("optimizations.summary")).toMatchObject({
        total_savings_cents: 0,
        suggestion_count: 0,
        top_suggestion: null,
        applied: [],
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
        ...gpt4oCalls(59, { ...long, usage: { input: 10, output: 200 }, output_tokens: 200 }),
        ...gpt4oCalls(1, { ...long, usage: { input: 10, output: 30_000 }, output_tokens: 30_000 }),
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
  });
}
