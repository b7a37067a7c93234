import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import {
  AGENT,
  begin,
  callsOf,
  counted,
  type LabOrganization,
  switches,
} from "../../support/labs/experiment-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();

const isOver = (client: LabOrganization["client"], id: string) =>
  eventually("the experiment has ended", async () => {
    return (await client.call("experiments.get", { id })).ended_at !== null;
  });

for (const engine of systemEngines) {
  describe(`experiments on ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());

    it("EXP-006 keeps the results of a stopped experiment unchanged, and stops it once", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      const { id } = await begin(organization);
      await organization.addEvents(...callsOf(id, { calls: 300, factor: 0.9 }));
      const before = await counted(organization, id, 300);
      const stopped = await client.call("experiments.stop", { id });
      expect(stopped).toMatchObject({ status: "completed", promoted: false });
      expect(stopped.experiment).toMatchObject({
        status: "completed",
        end_reason: "stopped",
        results: before.results,
      });
      // Events after the end change nothing.
      await organization.addEvents(...callsOf(id, { calls: 5 }));
      await lab.organization().then(next => next.addEvents({}));
      expect(await client.call("experiments.get", { id })).toEqual(stopped.experiment);
      // The results are all that remains of it besides the ledger.
      for (const table of ["experiment_sessions", "experiment_latencies", "experiment_tallies"] as const) {
        expect(await lab.db.selectFrom(table).selectAll().where("experiment_id", "=", id).execute()).toEqual(
          [],
        );
      }
      expect(await client.call("experiments.list", { status: "running" })).toEqual({ experiments: [] });
      for (const operation of ["experiments.stop", "experiments.pause", "experiments.resume"] as const) {
        expect((await refusal(client.call(operation, { id }))).status).toBe(400);
      }
      expect((await refusal(client.call("experiments.stop", { id: crypto.randomUUID() }))).status).toBe(404);
    });

    it("EXP-006 counts every call recorded before it was stopped", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      const { id } = await begin(organization);
      await organization.addEvents(...callsOf(id, { calls: 2500 }));
      const { experiment } = await client.call("experiments.stop", { id });
      expect(experiment.control_samples + experiment.treatment_samples).toBe(2500);
    });

    it("EXP-008 cancels one with an empty arm, and pauses and resumes without moving its end", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      const { id, ends_at } = await begin(organization);
      await organization.addEvents({ agent_key: AGENT, experiment_id: id, arm: "control" });
      await counted(organization, id, 1);
      expect(await client.call("experiments.pause", { id })).toMatchObject({ status: "paused", ends_at });
      expect((await refusal(client.call("experiments.pause", { id }))).status).toBe(400);
      expect(await client.call("experiments.resume", { id })).toMatchObject({ status: "running", ends_at });
      expect((await refusal(client.call("experiments.resume", { id }))).status).toBe(400);
      await client.call("experiments.pause", { id });
      const stopped = await client.call("experiments.stop", { id, promote_winner: true });
      expect(stopped).toMatchObject({ status: "cancelled", promoted: false });
      expect(stopped.message).toContain("no winner");
    });

    it("EXP-007 makes a winning treatment the agent's model if requested, and only then", async () => {
      for (const [factor, promote, promoted, treatmentErrors] of [
        [0.5, false, false, 0],
        [0.5, true, true, 0],
        [2, true, false, 0],
        [1, true, false, 0],
        // It has won on cost, but an API key may not promote what fails more often.
        [0.5, true, false, 0.1],
      ] as const) {
        const organization = await lab.organization();
        const { id } = await begin(organization);
        await organization.addEvents(...callsOf(id, { calls: 600, factor, treatmentErrors }));
        const stopped = await organization.client.call("experiments.stop", { id, promote_winner: promote });
        expect(stopped.promoted).toBe(promoted);
        expect(stopped.experiment.promoted).toBe(promoted);
        expect(await switches(lab, organization)).toEqual(
          promoted
            ? [
                {
                  optimization_type: "model_switch",
                  payload: '{"model":"gpt-4.1-nano"}',
                  source: `experiment:${id}`,
                  applied_by: expect.stringContaining("key "),
                  undone_at: null,
                },
              ]
            : [],
        );
      }
    });

    it("EXP-007 replaces the previous switch, which then is no longer a control", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      const first = await begin(organization);
      await organization.addEvents(...callsOf(first.id, { calls: 600, factor: 0.5 }));
      await client.call("experiments.stop", { id: first.id, promote_winner: true });
      const asks = { agent_id: first.agent_id, name: "again", traffic_pct: 50 };
      const same = client.call("experiments.create", { ...asks, treatment_model: "gpt-4.1-nano" });
      expect((await refusal(same)).status).toBe(400);
      const second = await client.call("experiments.create", { ...asks, treatment_model: "gpt-4o" });
      expect(second.control_model).toBe("gpt-4.1-nano");
      await organization.addEvents(...callsOf(second.id, { calls: 600, factor: 0.5, seed: 2 }));
      await client.call("experiments.stop", { id: second.id, promote_winner: true });
      const rows = await switches(lab, organization);
      expect(rows.map(({ undone_at }) => undone_at === null)).toEqual([false, true]);
    });

    it("EXP-004 ends by itself when its time is over, even if paused, or if the time ended while the control plane was down", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      const { id, ends_at } = await begin(organization, { max_duration_days: 1 });
      await organization.addEvents(...callsOf(id, { calls: 200 }));
      await counted(organization, id, 200);
      await client.call("experiments.pause", { id });
      lab.clock.advance(DAY_MS - 1);
      expect(await client.call("experiments.get", { id })).toMatchObject({
        status: "paused",
        ended_at: null,
      });
      lab.clock.advance(1);
      await isOver(client, id);
      expect(await client.call("experiments.get", { id })).toMatchObject({
        status: "completed",
        end_reason: "duration",
        ended_at: ends_at,
        promoted: false,
      });
      const missed = crypto.randomUUID();
      const row = await lab.db
        .selectFrom("experiments")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      await lab.db
        .insertInto("experiments")
        .values({ ...row, id: missed, status: "running", ended_at: null, end_reason: null, results: null })
        .execute();
      await isOver(client, missed);
      expect(await client.call("experiments.get", { id: missed })).toMatchObject({
        status: "completed",
        end_reason: "duration",
        control_samples: 0,
      });
    });

    it.each([
      ["auto_promote, and the treatment has won", true, 0.5, 0, true],
      ["no auto_promote", false, 0.5, 0, false],
      ["auto_promote, but there is no winner", true, 1, 0, false],
      ["auto_promote, but the treatment fails more often", true, 0.5, 0.1, false],
    ])(
      "EXP-005 promotes or does not promote at the end: %s",
      async (_, auto_promote, factor, treatmentErrors, promoted) => {
        const organization = await lab.organization();
        const { client } = organization;
        const { id } = await begin(organization, { auto_promote, max_duration_days: 1 });
        await organization.addEvents(...callsOf(id, { calls: 900, factor, treatmentErrors }));
        await counted(organization, id, 900);
        expect(await switches(lab, organization)).toEqual([]);
        lab.clock.advance(DAY_MS);
        await isOver(client, id);
        const { results, ...experiment } = await client.call("experiments.get", { id });
        expect(experiment.promoted).toBe(promoted);
        expect(results.error_guard.passes).toBe(treatmentErrors === 0);
        const rows = await switches(lab, organization);
        expect(rows.map(({ source, applied_by }) => [source, applied_by])).toEqual(
          promoted ? [[`experiment:${id}`, "auto_promote"]] : [],
        );
      },
    );
  });
}
