import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { expectEnvelopes } from "../../support/expect-envelopes.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { openToolClient } from "../../support/labs/tool-clients.ts";
import { addVerdict } from "../../support/rows/sample-verdict.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const AGENT = "wasteful";

/** A call of gpt-4o whose short answer a far cheaper model could give. */
const CALL: Partial<Event> = {
  agent_key: AGENT,
  model: "gpt-4o",
  requested_model: "gpt-4o",
  served_model: "gpt-4o-2024-08-06",
  usage: { input: 1000, output: 50 },
  cost_microcents: 30_000 as Event["cost_microcents"],
  request_hash: null,
};

for (const engine of systemEngines) {
  describe(`proposals on ${engine}`, () => {
    let lab: ControlLab;
    let organization: Awaited<ReturnType<ControlLab["organization"]>>;
    let agentId: string;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());

    const list = () => organization.client.call("loop_views.proposals", {});
    const ofSwitches = async () =>
      (await list()).proposals.filter(({ action_type }) => action_type === "model_switch");
    const until = (what: string, is: (proposals: Awaited<ReturnType<typeof ofSwitches>>) => boolean) =>
      eventually(what, async () => is(await ofSwitches()));

    /** An agent whose calls suggest a switch, and the hour after which proposals are made. */
    async function fresh() {
      organization = await lab.organization();
      await suggestSwitch();
      agentId = organization.agentId(AGENT);
      lab.clock.advance(HOUR_MS);
      await until("a switch is proposed", proposals => proposals.length > 0);
    }
    async function suggestSwitch() {
      await organization.addEvents(...Array.from({ length: 40 }, () => CALL));
      await eventually("the switch is suggested", async () => {
        return (await organization.client.call("suggestions.list", {})).suggestion_count > 0;
      });
    }
    async function suggestedModel(): Promise<string> {
      const { suggestions } = await organization.client.call("suggestions.list", {});
      const found = suggestions.find(({ type }) => type === "model_switch");
      return /"model":"([^"]+)"/.exec(JSON.stringify(found?.implementation))?.[1] ?? "none";
    }

    it("LOOP-012 LOOP-026 are made once an hour: action, classes, status with its reason, impact, axes; no payload", async () => {
      await fresh();
      const model = await suggestedModel();
      const answer = await list();
      expect(await ofSwitches()).toMatchObject([
        {
          agent_id: agentId,
          source: "suggestion",
          action_type: "model_switch",
          action_class: "configuration",
          d_class: "D2",
          status: "blocked",
          blocked_reason: "no_verdict",
          estimated_impact: { monthly_microcents: { method: "sum", ci_low: null } },
          axes: { lever: "model", scope: "agent", risk: "medium", reversibility: "within_a_second" },
        },
      ]);
      // The leak checks' findings are there too, each about something else.
      expect(answer.proposals.map(one => `${one.action_type} ${one.d_class}`)).toContain("budget D1");
      expect(expectEnvelopes("loop_views.proposals", answer)).toBe(1 + answer.proposals.length);
      expect(JSON.stringify(answer)).not.toContain(model);
      // An hour later they are the same ones.
      lab.clock.advance(HOUR_MS);
      await organization.addEvents(CALL);
      const ids = answer.proposals.map(({ id }) => id).toSorted();
      expect((await list()).proposals.map(({ id }) => id).toSorted()).toEqual(ids);
    });

    it("LOOP-012 a verdict that holds opens the proposal at once, with its interval; one that degrades blocks it", async () => {
      await fresh();
      const [{ id } = { id: "" }] = await ofSwitches();
      const candidateModel = await suggestedModel();
      const sample = { orgId: organization.id, agentId, candidateModel };
      await addVerdict(lab, { ...sample, concludedAt: lab.clock.now(), savesMicrocents: 5_000_000 });
      await until("it is open", ([one]) => one?.status === "open");
      expect(await ofSwitches()).toMatchObject([
        {
          id,
          source: "verdict",
          blocked_reason: null,
          estimated_impact: {
            monthly_microcents: {
              value: 5_000_000,
              ci_low: 4_500_000,
              ci_high: 5_500_000,
              method: "paired_t",
            },
          },
        },
      ]);
      lab.clock.advance(1);
      await addVerdict(lab, { ...sample, concludedAt: lab.clock.now(), verdict: "degrades" });
      await until(
        "it is blocked, and another model is proposed",
        proposals =>
          proposals.find(one => one.id === id)?.blocked_reason === "verdict_degrades" &&
          proposals.some(one => one.id !== id && one.blocked_reason === "no_verdict"),
      );
      lab.clock.advance(31 * 24 * HOUR_MS);
      await suggestSwitch();
      // Proposals may have been made before the calls were there.
      lab.clock.advance(HOUR_MS);
      await until("the verdict has expired", proposals =>
        proposals.some(({ blocked_reason }) => blocked_reason === "verdict_expired"),
      );
    });

    it("LOOP-012 LOOP-033 one whose change is in force is applied, and proposed again after it was undone", async () => {
      await fresh();
      const { client } = organization;
      const { optimization } = await client.call("agents.optimizations.apply", {
        id: agentId,
        optimization_type: "model_switch",
      });
      lab.clock.advance(HOUR_MS);
      await until("it is applied", ([one]) => one?.status === "applied");
      await client.call("agents.optimizations.undo", { id: agentId, optimization_id: optimization.id });
      lab.clock.advance(HOUR_MS);
      await until("it is proposed again", ([one]) => one?.status === "blocked");
    });

    it("LOOP-012 too few calls for a verdict block a switch, and the tier blocks another budget", async () => {
      organization = await lab.organization("starter");
      const at = lab.clock.now() - 3 * 24 * HOUR_MS;
      await organization.addEvents(...Array.from({ length: 40 }, () => ({ ...CALL, created_at: at })), {
        agent_key: "another",
      });
      agentId = organization.agentId(AGENT);
      await organization.client.call("budgets.create", {
        agent_id: organization.agentId("another"),
        period: "monthly",
        limit_microcents: 1_000_000,
        enforcement_mode: "alert_only",
      });
      lab.clock.advance(HOUR_MS);
      const reasonOf = async (action: string) =>
        (await list()).proposals.find(one => one.agent_id === agentId && one.action_type === action)
          ?.blocked_reason;
      await eventually("proposals are made", async () => (await reasonOf("budget")) === "tier");
      expect(await reasonOf("model_switch")).toBe("insufficient_volume");
    });

    it("LOOP-012 an experiment of the agent blocks a switch", async () => {
      await fresh();
      await organization.client.call("experiments.create", {
        agent_id: agentId,
        name: "x",
        treatment_model: "gpt-4o-mini",
      });
      lab.clock.advance(HOUR_MS);
      await until("it is blocked", ([one]) => one?.blocked_reason === "experiment_running");
    });

    it("LOOP-003 LOOP-012 TOOL-054 svc_get_proposals gives the same, changes nothing, and shows nobody else's", async () => {
      await fresh();
      const toolClient = await openToolClient("hosted, new client", lab.url, organization.readKey);
      const { structured, text } = await toolClient.call("svc_get_proposals");
      await toolClient.close();
      expect(structured).toEqual(await list());
      expect(text).toContain("D2 model_switch of agent");
      const other = await lab.organization();
      expect((await other.client.call("loop_views.proposals", {})).proposals).toEqual([]);
      expect((await organization.testClient.call("loop_views.proposals", {})).proposals).toEqual([]);
    });
  });
}
