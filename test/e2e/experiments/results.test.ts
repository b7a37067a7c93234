import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { primaryMetrics } from "@tollgate/core/experiments/experiment";
import { microcents } from "@tollgate/core/money/money";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { AGENT, begin, callsOf, counted } from "../../support/labs/experiment-lab.ts";

const databases = controlDatabases();

for (const engine of systemEngines) {
  describe(`experiments on ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());

    for (const metric of primaryMetrics) {
      it(`EXP-003 shows both arms' numbers exactly as in their events: ${metric}`, async () => {
        const organization = await lab.organization();
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
      const organization = await lab.organization();
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
      const organization = await lab.organization();
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
      const organization = await lab.organization();
      const { client } = organization;
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
  });
}

function nearestRank(events: readonly Event[], percent: number): number {
  const sorted = events.map(({ latency_ms }) => latency_ms).sort((a, b) => a - b);
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? -1;
}
