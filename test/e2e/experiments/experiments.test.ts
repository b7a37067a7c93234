import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { primaryMetrics } from "@tollgate/core/experiments/experiment";
import { microcents } from "@tollgate/core/money/money";
import { DAY_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { controlDatabases, engines } from "../../support/labs/control-databases.ts";
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

for (const engine of engines) {
  describe(`experiments on ${engine}`, () => {
    let lab: ControlLab;
    let organization: LabOrganization;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());
    const fresh = async () => {
      organization = await lab.organization();
      return organization.client;
    };
    const isOver = (id: string) =>
      eventually("the experiment has ended", async () => {
        return (await organization.client.call("experiments.get", { id })).ended_at !== null;
      });

    it("EXP-008 starts running, with the agent's model as its control and with default settings", async () => {
      const client = await fresh();
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
      const client = await fresh();
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
      const client = await fresh();
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
      await fresh();
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

    for (const metric of primaryMetrics) {
      it(`EXP-003 shows both arms' numbers exactly as in their events: ${metric}`, async () => {
        await fresh();
        const { id } = await begin(organization, { primary_metric: metric });
        const calls = callsOf(id, { calls: 431, controlErrors: 0.1, treatmentErrors: 0.05, sessionCalls: 3 });
        const events = await organization.addEvents(...calls);
        const { results } = await counted(organization, id, events.length);
        for (const arm of ["control", "treatment"] as const) {
          const own = events.filter(event => event.arm === arm);
          const cost = own.reduce((sum, event) => sum + event.cost_microcents, 0);
          const errors = own.filter(({ status }) => status !== "success").length;
          expect(results[arm]).toMatchObject({
            calls: own.length,
            errors,
            cost_microcents: cost,
            unpriced_calls: 0,
            sessions: new Set(own.map(({ session_id }) => session_id)).size,
          });
          expect(results[arm].cost_per_call_microcents?.value).toBe(cost / (own.length - errors));
          expect(results[arm].error_rate?.value).toBe(errors / own.length);
          expect(results[arm].latency_p50_ms?.value).toBe(nearestRank(own, 50));
          expect(results[arm].latency_p95_ms?.value).toBe(nearestRank(own, 95));
          expect(results[arm].quality_score).toBeNull();
          for (const name of ["cost_per_call_microcents", "latency_p50_ms", "error_rate"] as const) {
            const { value, low, high } = results[arm][name] ?? { value: 0, low: null, high: null };
            expect(low ?? Infinity).toBeLessThanOrEqual(value);
            expect(high ?? -Infinity).toBeGreaterThanOrEqual(value);
          }
        }
      });
    }

    it("EXP-003 counts only the experiment's own calls, and does not count an unknown cost as zero", async () => {
      await fresh();
      const { id } = await begin(organization);
      const call = { agent_key: AGENT, experiment_id: id, arm: "control" };
      await organization.addEvents(
        call,
        { ...call, cost_basis: "unpriced", cost_microcents: microcents(0) },
        { ...call, agent_key: "somebody else" },
        { ...call, mode: "test" },
        { ...call, arm: null },
        { ...call, arm: "a third" },
        { ...call, experiment_id: crypto.randomUUID() },
        { ...call, arm: "treatment", status: "cancelled" },
        { ...call, arm: "treatment", status: "timeout" },
        { ...call, arm: "treatment", status: "interrupted" },
      );
      const { results } = await counted(organization, id, 5);
      expect(results.control).toMatchObject({ calls: 2, unpriced_calls: 1, errors: 0 });
      expect(results.treatment).toMatchObject({ calls: 3, unpriced_calls: 0, errors: 2 });
      expect(results.control.cost_per_call_microcents?.value).toBe(results.control.cost_microcents);
    });

    it("concludes nothing before each arm has a hundred calls, and finds a difference in 2,000 calls", async () => {
      await fresh();
      const { id } = await begin(organization);
      const calls = callsOf(id, { calls: 2000, factor: 0.5 });
      await organization.addEvents(...calls.slice(0, 150));
      const early = await counted(organization, id, 150);
      expect(early).toMatchObject({ is_significant: false, winner: null });
      expect(early.results.test).toMatchObject({ p_value: null, difference: null });
      expect(early.results.message).toContain("each arm needs 100 priced calls that did not fail");
      await organization.addEvents(...calls.slice(150));
      const late = await counted(organization, id, 2000);
      expect(late).toMatchObject({ is_significant: true, winner: "treatment" });
      expect(late.results.test.p_value).toBeLessThan(0.001);
      const truth = -0.5 * 20_000 * Math.exp(0.6 ** 2 / 2);
      expect(late.results.difference?.low).toBeLessThan(truth);
      expect(late.results.difference?.high).toBeGreaterThan(truth);
      expect(late.results.difference?.high).toBeLessThan(0);
    });

    it("EXP-008 reads quality from the outcomes of the arms' sessions, null if there are none", async () => {
      const client = await fresh();
      const { id } = await begin(organization, { primary_metric: "quality_score" });
      const events = await organization.addEvents(...callsOf(id, { calls: 40, sessionCalls: 2 }));
      expect((await counted(organization, id, 40)).results.control.quality_score).toBeNull();
      const armOf = new Map(events.map(({ session_id, arm }) => [session_id, arm]));
      const told = { control: [0, 0], treatment: [0, 0] };
      for (const [session, arm] of armOf) {
        if (session === null || (arm !== "control" && arm !== "treatment")) continue;
        const success = session.endsWith("1") || arm === "treatment";
        await client.call("outcomes.create", { name: "done", session_id: session, success });
        await client.call("outcomes.create", { name: "undecided", session_id: session });
        told[arm] = [(told[arm][0] ?? 0) + 1, (told[arm][1] ?? 0) + (success ? 1 : 0)];
      }
      await client.call("outcomes.create", { name: "done", session_id: "another", success: true });
      const { results } = await client.call("experiments.get", { id });
      for (const arm of ["control", "treatment"] as const) {
        const [outcomes = 0, successes = 0] = told[arm];
        expect(results[arm].outcomes).toBe(outcomes);
        expect(results[arm].quality_score?.value).toBe(successes / outcomes);
      }
      expect(results.test.control_samples).toBe(told.control[0] ?? -1);
      expect(results.unit).toBe("share");
      expect(results.winner).toBeNull();
    });

    it("EXP-006 keeps the results of a stopped experiment unchanged, and stops it once", async () => {
      const client = await fresh();
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
      const client = await fresh();
      const { id } = await begin(organization);
      await organization.addEvents(...callsOf(id, { calls: 2500 }));
      const { experiment } = await client.call("experiments.stop", { id });
      expect(experiment.control_samples + experiment.treatment_samples).toBe(2500);
    });

    it("EXP-008 cancels one with an empty arm, and pauses and resumes without moving its end", async () => {
      const client = await fresh();
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
        await fresh();
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
      const client = await fresh();
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
      const client = await fresh();
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
      await isOver(id);
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
      await isOver(missed);
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
        const client = await fresh();
        const { id } = await begin(organization, { auto_promote, max_duration_days: 1 });
        await organization.addEvents(...callsOf(id, { calls: 900, factor, treatmentErrors }));
        await counted(organization, id, 900);
        expect(await switches(lab, organization)).toEqual([]);
        lab.clock.advance(DAY_MS);
        await isOver(id);
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

function nearestRank(events: readonly Event[], percent: number): number {
  const sorted = events.map(({ latency_ms }) => latency_ms).sort((a, b) => a - b);
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? -1;
}
