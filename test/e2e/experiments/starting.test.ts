import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { AGENT, begin } from "../../support/labs/experiment-lab.ts";

const databases = controlDatabases();

for (const engine of systemEngines) {
  describe(`experiments on ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());

    it("EXP-008 starts running, with the agent's model as its control and with default settings", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      await organization.addEvents(
        { agent_key: AGENT },
        { agent_key: AGENT },
        { agent_key: AGENT, model: "gpt-4o" },
      );
      const experiment = await client.call("experiments.create", {
        agent_id: organization.agentId(AGENT),
        name: "x",
        treatment_model: "openai/gpt-4.1-nano",
      });
      expect(experiment).toMatchObject({
        agent_id: organization.agentId(AGENT),
        control_model: "gpt-4o-mini",
        treatment_model: "gpt-4.1-nano",
        status: "running",
        traffic_pct: 10,
        primary_metric: "cost_per_call",
        max_duration_days: 14,
        auto_promote: false,
        control_samples: 0,
        treatment_samples: 0,
        is_significant: false,
        winner: null,
        promoted: false,
        ended_at: null,
      });
      expect(Date.parse(experiment.ends_at) - Date.parse(experiment.created_at)).toBe(14 * DAY_MS);
      expect(await client.call("experiments.list", {})).toEqual({ experiments: [experiment] });
    });

    it("EXP-008 refuses models that cannot be compared, a second experiment on an agent, and unknown agents", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      const { id, agent_id } = await begin(organization);
      const other = await lab.organization();
      await organization.addEvents({ agent_key: "other" });
      const asks = { agent_id: organization.agentId("other"), name: "x", treatment_model: "gpt-4o" };
      const create = (change: Partial<typeof asks>) =>
        client.call("experiments.create", { ...asks, ...change });
      for (const [call, status] of [
        [() => create({ agent_id }), 400],
        [() => create({ agent_id: crypto.randomUUID() }), 404],
        [() => create({ treatment_model: "gpt-99" }), 400],
        [() => create({ treatment_model: "openai/claude-sonnet-4-5" }), 400],
        [() => create({ treatment_model: "gpt-4o-mini" }), 400],
        [() => create({ treatment_model: "openai/gpt-4o-mini" }), 400],
        [() => other.client.call("experiments.create", { ...asks, agent_id }), 404],
        [() => other.client.call("experiments.get", { id }), 404],
        [() => other.client.call("experiments.stop", { id }), 404],
        [() => other.client.call("experiments.pause", { id }), 404],
        [() => organization.testClient.call("experiments.get", { id }), 404],
        [() => client.call("experiments.list", { agent_id: crypto.randomUUID() }), 404],
      ] as const) {
        expect((await refusal(call())).status).toBe(status);
      }
      await client.call("experiments.pause", { id });
      expect((await refusal(create({ agent_id }))).status).toBe(400);
      await client.call("experiments.stop", { id });
      expect((await create({ agent_id })).status).toBe("running");
    });

    it("of two concurrent starts on an agent, one succeeds", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      await organization.addEvents({ agent_key: AGENT });
      const asks = { agent_id: organization.agentId(AGENT), name: "x", treatment_model: "gpt-4o" };
      const tries = Array.from({ length: 5 }, () => client.call("experiments.create", asks));
      const made = (await Promise.allSettled(tries)).filter(({ status }) => status === "fulfilled");
      expect(made).toHaveLength(1);
    });

    it.each([
      ["name", "", "x"],
      ["name", "x".repeat(101), "x".repeat(100)],
      ["traffic_pct", 0, 1],
      ["traffic_pct", 51, 50],
      ["traffic_pct", 1.5, 2],
      ["max_duration_days", 0, 1],
      ["max_duration_days", 31, 30],
      ["primary_metric", "cost", "error_rate"],
      ["auto_promote", "yes", true],
    ])("rejects %s of %p and accepts %p", async (field, refused, taken) => {
      const organization = await lab.organization();
      await organization.addEvents({ agent_key: AGENT });
      const post = (value: unknown) =>
        lab.send("/api/experiments", {
          key: organization.liveKey,
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            agent_id: organization.agentId(AGENT),
            name: "x",
            treatment_model: "gpt-4o",
            [field]: value,
          }),
        });
      expect((await post(refused)).status).toBe(400);
      expect((await post(taken)).status).toBe(201);
    });
  });
}
