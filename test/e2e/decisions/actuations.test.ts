import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { refusal } from "../../support/clients/refusal.ts";
import { expectEnvelopes } from "../../support/expect-envelopes.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { begin, callsOf, counted } from "../../support/labs/experiment-lab.ts";
import { openToolClient } from "../../support/labs/tool-clients.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const AGENT = "wasteful";

/** A gpt-4o call whose short answer a far cheaper model could give. */
const CALL: Partial<Event> = {
  agent_key: AGENT,
  model: "gpt-4o",
  requested_model: "gpt-4o",
  served_model: "gpt-4o-2024-08-06",
  usage: { input: 1000, output: 50 },
  cost_microcents: 30_000 as Event["cost_microcents"],
  request_hash: null,
};
const SWITCHED: Partial<Event> = { ...CALL, model: "gpt-4.1-nano", served_model: "gpt-4.1-nano" };

for (const engine of systemEngines) {
  describe(`actuations on ${engine}`, () => {
    let lab: ControlLab;
    let organization: Awaited<ReturnType<ControlLab["organization"]>>;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());

    async function fresh() {
      organization = await lab.organization();
      await organization.client.call("organization.update", { flags: { optimization_model_v3: true } });
      return organization.client;
    }
    const listed = async () => (await organization.client.call("loop_views.actuations", {})).actuations;
    const newest = async () => {
      const [first] = await listed();
      if (first === undefined) throw new Error("there is no actuation");
      return first;
    };

    /** Applies a switch suggested by the calls of the last days. */
    async function switchModel() {
      const client = await fresh();
      await organization.addEvents(...Array.from({ length: 40 }, () => CALL));
      const agentId = organization.agentId(AGENT);
      await eventually("the switch is suggested", async () => {
        return (await client.call("suggestions.list", { agent_id: agentId })).suggestion_count > 0;
      });
      const { optimization } = await client.call("agents.optimizations.apply", {
        id: agentId,
        optimization_type: "model_switch",
        payload: { model: "gpt-4.1-nano" },
      });
      return { client, agentId, optimization };
    }

    it("LOOP-007 are 404 while the flag is off, with the next step; changes are recorded anyway", async () => {
      organization = await lab.organization();
      const { client } = organization;
      await client.call("budgets.create", {
        period: "daily",
        limit_microcents: 5,
        enforcement_mode: "hard_block",
      });
      const refused = await refusal(client.call("loop_views.actuations", {}));
      expect(refused.status).toBe(404);
      expect(refused.message).toContain("optimization_model_v3");
      await client.call("organization.update", { flags: { optimization_model_v3: true } });
      expect(await listed()).toMatchObject([{ action_type: "budget", change: "create" }]);
    });

    it("LOOP-013 LOOP-033 a model switch: who, by what authority, when requested, applied and first effective; undoing it is one too", async () => {
      const { client, agentId, optimization } = await switchModel();
      expect(await listed()).toMatchObject([
        {
          agent_id: agentId,
          action_type: "model_switch",
          action_class: "configuration",
          change: "apply",
          subject_id: optimization.id,
          authority: "api_key",
          actor: optimization.applied_by,
          timing: { asked_at: optimization.applied_at, first_obeyed_at: null },
          rollback: { state: "none", reason: null, by: null, at: null },
          acknowledgement: { state: "not_required", by: null, at: null },
        },
      ]);
      // One still in flight with the old model, then one with the new model, then another.
      lab.clock.advance(10);
      await organization.addEvents(CALL);
      lab.clock.advance(10);
      const [obeying] = await organization.addEvents(SWITCHED);
      lab.clock.advance(10);
      await organization.addEvents(SWITCHED);
      await eventually("the first call that obeyed is found", async () => {
        return (await newest()).timing.first_obeyed_at !== null;
      });
      const at = new Date(obeying?.created_at ?? 0).toISOString();
      expect((await newest()).timing.first_obeyed_at).toBe(at);

      await client.call("agents.optimizations.undo", { id: agentId, optimization_id: optimization.id });
      await client.call("agents.optimizations.undo", { id: agentId, optimization_id: optimization.id });
      const rolledBack = { state: "rolled_back", reason: "undone", by: optimization.applied_by };
      expect(await listed()).toMatchObject([
        { change: "undo", subject_id: optimization.id, rollback: { state: "none" } },
        { change: "apply", rollback: rolledBack, timing: { first_obeyed_at: at } },
      ]);
      // A change takes effect within a second, so later calls are known to be under it.
      lab.clock.advance(999);
      await organization.addEvents(CALL);
      lab.clock.advance(1);
      const [second] = await organization.addEvents(CALL);
      await eventually("a call without the switch is found", async () => {
        return (await newest()).timing.first_obeyed_at !== null;
      });
      expect((await newest()).timing.first_obeyed_at).toBe(new Date(second?.created_at ?? 0).toISOString());
    });

    it("LOOP-013 show nothing of the configuration, and nothing of other organizations or of the other mode", async () => {
      await switchModel();
      const answer = await organization.client.call("loop_views.actuations", {});
      expect(JSON.stringify(answer)).not.toContain("gpt-4.1-nano");
      expect(expectEnvelopes("loop_views.actuations", answer)).toBe(1);
      expect(answer.total).toMatchObject({ value: 1, method: "count", ci_low: null, ci_high: null });
      expect((await organization.testClient.call("loop_views.actuations", {})).actuations).toEqual([]);
      const other = await lab.organization();
      await other.client.call("organization.update", { flags: { optimization_model_v3: true } });
      expect((await other.client.call("loop_views.actuations", {})).actuations).toEqual([]);
    });

    it("BUD-024 LOOP-033 the budget of a customer is obeyed by a call for this customer", async () => {
      const client = await fresh();
      await client.call("budgets.create", {
        period: "daily",
        limit_microcents: 500,
        enforcement_mode: "hard_block",
        customer_id: "jane",
      });
      lab.clock.advance(5000);
      await organization.addEvents({ customer_id: "joe" });
      lab.clock.advance(5000);
      const [obeying] = await organization.addEvents({ customer_id: "jane" });
      await eventually("the first call that obeyed is found", async () => {
        return (await newest()).timing.first_obeyed_at !== null;
      });
      expect((await newest()).timing.first_obeyed_at).toBe(new Date(obeying?.created_at ?? 0).toISOString());
    });

    it("LOOP-033 a change whose actuation cannot be written is not made", async () => {
      const { client, agentId, optimization } = await switchModel();
      const budget = { period: "daily", limit_microcents: 5, enforcement_mode: "hard_block" } as const;
      await lab.db.schema.alterTable("actuations").renameTo("actuations_away").execute();
      try {
        for (const change of [
          () => client.call("budgets.create", budget),
          () => client.call("agents.optimizations.undo", { id: agentId, optimization_id: optimization.id }),
        ]) {
          expect((await refusal(change())).status).toBe(500);
        }
      } finally {
        await lab.db.schema.alterTable("actuations_away").renameTo("actuations").execute();
      }
      expect((await client.call("budgets.list", {})).budgets).toEqual([]);
      const { optimizations } = await client.call("agents.optimizations.list", { id: agentId });
      expect(optimizations).toEqual([optimization]);
    });

    it("LOOP-033 budgets: creating, changing, pausing, resuming, deleting; but not a warning threshold", async () => {
      const client = await fresh();
      await organization.addEvents({ agent_key: AGENT });
      const agent_id = organization.agentId(AGENT);
      const { id } = await client.call("budgets.create", {
        period: "daily",
        limit_microcents: 500,
        enforcement_mode: "hard_block",
        agent_id,
      });
      await client.call("budgets.update", { id, warning_pct: 70 });
      await client.call("budgets.update", { id, limit_microcents: 1_234_567 });
      await client.call("budgets.update", { id, paused: true });
      await client.call("budgets.resume", { id, reset_spending: true });
      await client.call("budgets.delete", { id });
      expect((await refusal(client.call("budgets.delete", { id }))).status).toBe(404);
      const actuations = await listed();
      expect(actuations.map(({ change }) => change)).toEqual([
        "delete",
        "resume",
        "pause",
        "update",
        "create",
      ]);
      for (const one of actuations) {
        expect(one).toMatchObject({
          action_type: "budget",
          action_class: "policy",
          subject_id: id,
          agent_id,
        });
      }
      expect(JSON.stringify(actuations)).not.toContain("1234567");
    });

    it("LOOP-033 an experiment's start, pause, resume and end; its promotion has the experiment's authority", async () => {
      const client = await fresh();
      const experiment = await begin(organization);
      await client.call("experiments.pause", { id: experiment.id });
      expect((await refusal(client.call("experiments.pause", { id: experiment.id }))).status).toBe(400);
      await client.call("experiments.resume", { id: experiment.id });
      await organization.addEvents(...callsOf(experiment.id, { calls: 400, factor: 0.3 }));
      await counted(organization, experiment.id, 400);
      const { promoted } = await client.call("experiments.stop", { id: experiment.id, promote_winner: true });
      expect(promoted).toBe(true);
      expect(
        (await listed()).map(({ action_type, change, authority }) => `${action_type} ${change} ${authority}`),
      ).toEqual([
        "model_switch apply experiment",
        "experiment stop api_key",
        "experiment resume api_key",
        "experiment pause api_key",
        "experiment start api_key",
      ]);
    });

    it("LOOP-033 an experiment whose time is over ends by its own authority", async () => {
      await fresh();
      const experiment = await begin(organization);
      lab.clock.advance(31 * 86_400_000);
      await eventually("the experiment has ended", async () => (await newest()).change === "stop");
      expect(await newest()).toMatchObject({ authority: "experiment", subject_id: experiment.id });
    });

    it("LOOP-033 a threshold that pauses an agent, and the member who resumes it", async () => {
      const client = await fresh();
      await organization.addEvents({ agent_key: AGENT });
      const agent_id = organization.agentId(AGENT);
      const threshold = await client.call("alerts.thresholds.set", {
        agent_id,
        metric: "daily_cost",
        threshold_value: 0.00001,
        action: "pause_agent",
      });
      await organization.addEvents({ agent_key: AGENT });
      await eventually("the agent is paused", async () => (await listed()).length === 1);
      expect(await newest()).toMatchObject({
        agent_id,
        action_type: "pause_agent",
        action_class: "policy",
        change: "pause",
        subject_id: agent_id,
        authority: "threshold",
        actor: `threshold ${threshold.id}`,
      });
      const browser = await lab.member(organization.id, "admin");
      const answer = await browser.send(`${lab.url}/api/agents/${agent_id}/resume`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      expect(answer.status).toBe(200);
      expect(await listed()).toMatchObject([
        { change: "resume", authority: "operator", actor: expect.stringContaining("@example.org") },
        { change: "pause", rollback: { state: "rolled_back", reason: "resumed" } },
      ]);
    });

    it("LOOP-003 LOOP-013 TOOL-055 svc_get_actuations returns the same, and changes nothing", async () => {
      await switchModel();
      const toolClient = await openToolClient("hosted, new client", lab.url, organization.readKey);
      const before = await lab.db.selectFrom("actuations").selectAll().execute();
      const { structured, text, isError } = await toolClient.call("svc_get_actuations");
      await toolClient.close();
      expect(isError).toBe(false);
      expect(text).toContain("apply model_switch of agent");
      expect(structured.actuations).toEqual(await listed());
      expect(await lab.db.selectFrom("actuations").selectAll().execute()).toEqual(before);
    });

    it("LOOP-007 svc_get_actuations with the flag off is a 404 error", async () => {
      const { readKey } = await lab.organization();
      const toolClient = await openToolClient("hosted, new client", lab.url, readKey);
      const { isError, facts } = await toolClient.call("svc_get_actuations");
      await toolClient.close();
      expect({ isError, facts }).toMatchObject({ isError: true, facts: { status: 404 } });
    });
  });
}
