import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const CALLS = 40;
/** A month with enough whole days: half past noon on the 22nd. */
const LATER = "2026-11-22T12:30:00.000Z";

type Organization = Awaited<ReturnType<ControlLab["organization"]>>;

for (const engine of systemEngines) {
  describe(`predictions on ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      // The gateway's ledger reads the lab's file, which is the database itself or its copy.
      lab = await startControlLab(await databases.place(engine));
      lab.clock.set(LATER);
    });
    afterAll(() => lab.stop());

    /** Hours of calls, the last of them just ended; `errorsOf` counts hours from the first. */
    async function addHours(
      organization: Organization,
      hours: number,
      errorsOf: (hour: number) => number,
      change: Partial<Event> = {},
    ): Promise<void> {
      const end = Math.floor(lab.clock.now() / HOUR_MS) * HOUR_MS;
      await organization.addEvents(
        ...Array.from({ length: hours * CALLS }, (_, index): Partial<Event> => {
          const hour = Math.floor(index / CALLS);
          return {
            created_at: end - (hours - hour) * HOUR_MS + (index % CALLS) * 1000,
            status: index % CALLS < errorsOf(hour) ? "error" : "success",
            ...change,
          };
        }),
      );
    }

    /** Advances five minutes, after which everything has been evaluated again. */
    async function lookAgain({ client }: Organization): Promise<void> {
      lab.clock.advance(5 * 60_000);
      const now = lab.clock.now();
      await eventually("there was another look", async () => {
        const { computed_at } = await client.call("predictions.list", {});
        return computed_at !== null && Date.parse(computed_at) >= now;
      });
    }

    async function risingErrors(change: Partial<Event> = {}): Promise<Organization> {
      const organization = await lab.organization();
      await organization.client.call("alerts.preferences.update", { error_rate_threshold_pct: 50 });
      // One error more each hour, of forty calls: half of them in ten hours.
      await addHours(organization, 12, hour => hour + 1, { agent_key: "worker", ...change });
      await lookAgain(organization);
      return organization;
    }

    it("TOOL-061 a rising error rate is active, acknowledged once seen, and resolved when it is over", async () => {
      const organization = await risingErrors();
      const { client } = organization;
      const agentId = organization.agentId("worker");
      const list = (input: Parameters<typeof client.call<"predictions.list">>[1]) =>
        client.call("predictions.list", input);

      const { predictions } = await list({});
      expect(predictions).toHaveLength(1);
      const [found] = predictions;
      if (found === undefined) throw new Error("nothing was predicted");
      expect(found).toMatchObject({
        prediction_type: "error_rate_breach",
        agent_id: agentId,
        status: "active",
        severity: "critical",
        threshold_value: 0.5,
        trend_direction: "rising",
        acknowledged_at: null,
        resolved_at: null,
      });
      expect(found.confidence).toBeGreaterThan(0.99);
      expect(found.confidence).toBeLessThan(1);
      expect(found.current_value).toBeGreaterThan(0.25);
      expect(Date.parse(found.predicted_breach_at ?? "")).toBeGreaterThan(lab.clock.now());
      expect(found.evidence).toMatchObject({ n: 12, unit: "hour", slope_unit: "fraction an hour" });
      expect(found.evidence.tests.map(({ name }) => name)).toEqual(["fisher_exact", "mann_kendall_exact"]);
      expect(found.evidence.adjusted_p).toBeCloseTo(1 - found.confidence, 3);
      expect(found.message).toMatch(/ rises by [\d.]+ percentage points an hour/);
      expect(`${found.current_value}`).toMatch(/^0\.\d{1,4}$/);
      expect(found.recommended_actions.length).toBeGreaterThan(0);

      // Each filter works.
      expect((await list({ agent_id: agentId, severity: "critical" })).predictions).toHaveLength(1);
      expect((await list({ severity: "info" })).predictions).toEqual([]);
      expect((await list({ status: "resolved" })).predictions).toEqual([]);

      const acknowledge = () => client.call("predictions.acknowledge", { prediction_ids: [found.id] });
      expect(await acknowledge()).toEqual({ acknowledged: 1 });
      const [seen] = (await list({ status: "acknowledged" })).predictions;
      lab.clock.advance(1000);
      expect(await acknowledge()).toEqual({ acknowledged: 1 });
      expect((await list({})).predictions).toEqual([]);
      expect((await list({ status: "acknowledged" })).predictions).toEqual(seen === undefined ? [] : [seen]);

      // At the next evaluation: the same one, with newer numbers, and still acknowledged.
      await lookAgain(organization);
      const [still] = (await list({ status: "acknowledged" })).predictions;
      expect(still).toMatchObject({ id: found.id, acknowledged_at: seen?.acknowledged_at ?? "" });
      expect((still?.updated_at ?? "") > found.updated_at).toBe(true);

      lab.clock.advance(8 * HOUR_MS);
      await addHours(organization, 8, () => 0, { agent_key: "worker" });
      await lookAgain(organization);
      expect((await list({ status: "acknowledged" })).predictions).toEqual([]);
      const [over] = (await list({ status: "resolved" })).predictions;
      expect(over).toMatchObject({ id: found.id, status: "resolved", resolved_at: expect.any(String) });
      // A resolved prediction cannot be acknowledged.
      expect(await acknowledge()).toEqual({ acknowledged: 0 });
      // A prediction is not an alert: none was sent.
      const alerts = await lab.db
        .selectFrom("alerts")
        .select("id")
        .where("org_id", "=", organization.id)
        .where("metadata", "like", "%prediction%")
        .execute();
      expect(alerts).toEqual([]);
    });

    it("TOOL-061 a budget that will not last is predicted, with an interval for its end", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      // Half a million microcents per hour since its creation, of seven and a half million.
      lab.clock.set("2026-11-24T00:00:00.000Z");
      await client.call("budgets.create", {
        period: "daily",
        limit_microcents: 7_500_000,
        enforcement_mode: "alert_only",
      });
      lab.clock.set("2026-11-24T12:00:00.000Z");
      const price = (index: number) => microcents(12_000 + (index % 5) * 250);
      await organization.addEvents(
        ...Array.from({ length: 12 * CALLS }, (_, index) => ({
          created_at:
            Date.parse("2026-11-24T00:00:00.000Z") + Math.floor(index / CALLS) * HOUR_MS + index + 1,
          cost_microcents: price(Math.floor(index / CALLS)),
        })),
      );
      await lookAgain(organization);
      const { predictions } = await client.call("predictions.list", {});
      expect(predictions.map(one => one.prediction_type)).toEqual(["budget_exhaustion"]);
      const [found] = predictions;
      const { budgets } = await client.call("budgets.list");
      expect(found?.budget_id).toBe(budgets[0]?.id ?? "none");
      expect(found).toMatchObject({ agent_id: null, threshold_value: 7_500_000, severity: "critical" });
      expect(found?.message).toStartWith("The organization's daily budget of $0.75 has ");
      const { earliest = "", latest = null } = found?.evidence.breach_interval ?? {};
      expect(earliest < (found?.predicted_breach_at ?? "")).toBe(true);
      expect((latest ?? "") > (found?.predicted_breach_at ?? "")).toBe(true);
    });

    it("BUD-024 TOOL-061 a key's budget that will not last is predicted from the calls with that key alone", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      lab.clock.set("2026-11-26T00:00:00.000Z");
      const key = await client.call("keys.create", {});
      const limits = { period: "daily", enforcement_mode: "alert_only" } as const;
      await client.call("budgets.create", { ...limits, limit_microcents: 7_500_000, key_id: key.id });
      await client.call("budgets.create", { ...limits, limit_microcents: 7_500_000, customer_id: "jane" });
      lab.clock.set("2026-11-26T12:00:00.000Z");
      await organization.addEvents(
        ...Array.from({ length: 12 * CALLS }, (_, index) => ({
          created_at:
            Date.parse("2026-11-26T00:00:00.000Z") + Math.floor(index / CALLS) * HOUR_MS + index + 1,
          cost_microcents: microcents(12_000 + (Math.floor(index / CALLS) % 5) * 250),
          key_id: key.id,
          // A tenth of the calls: this budget lasts.
          customer_id: index % 10 === 0 ? "jane" : null,
        })),
      );
      await lookAgain(organization);
      const { predictions } = await client.call("predictions.list", {});
      expect(predictions.map(one => [one.prediction_type, one.agent_id])).toEqual([
        ["budget_exhaustion", null],
      ]);
      expect(predictions[0]?.message).toStartWith(`The daily budget of the API key ${key.id} of $0.75 has `);
    });

    it("a new organization is told that there is too little data, and for what", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      // A run that began before the clock moved is followed by another one, which must not see the calls below.
      await eventually("no run is due", async () => {
        const { computed_at } = await client.call("predictions.list", {});
        return computed_at !== null && Date.parse(computed_at) >= lab.clock.now();
      });
      // Without calls, no type can be predicted.
      const before = await client.call("predictions.list", {});
      expect(before.predictions).toEqual([]);
      expect(before.computed_at).not.toBeNull();
      expect(before.insufficient_data).toHaveLength(5);
      await addHours(organization, 3, () => 1, { agent_key: "new" });
      // It has made calls since the last evaluation: the answer must not claim that there are none.
      await eventually("the calls are counted", async () => {
        const { computed_at, insufficient_data } = await client.call("predictions.list", {});
        return (
          computed_at === null &&
          insufficient_data.every(({ reason }) => reason.startsWith("not computed yet"))
        );
      });
      await lookAgain(organization);
      const { predictions, insufficient_data } = await client.call("predictions.list", {});
      expect(predictions).toEqual([]);
      expect(insufficient_data).toContainEqual({
        agent_id: organization.agentId("new"),
        prediction_type: "error_rate_breach",
        reason: "needs 8 of the last 24 hours with at least 20 calls, has 3",
      });
      const ofAgent = await client.call("predictions.list", { agent_id: organization.agentId("new") });
      expect(new Set(ofAgent.insufficient_data.map(({ agent_id }) => agent_id))).toEqual(
        new Set([organization.agentId("new")]),
      );
    });

    it("another organization's predictions can be neither seen nor acknowledged, and its agents are unknown", async () => {
      const owner = await risingErrors();
      const other = await lab.organization();
      const [theirs] = (await owner.client.call("predictions.list", {})).predictions;
      if (theirs === undefined) throw new Error("nothing was predicted");
      const prediction_ids = [theirs.id, crypto.randomUUID()];
      expect(await other.client.call("predictions.acknowledge", { prediction_ids })).toEqual({
        acknowledged: 0,
      });
      // Nor with a key for the other kind of traffic.
      expect(await owner.testClient.call("predictions.acknowledge", { prediction_ids })).toEqual({
        acknowledged: 0,
      });
      expect((await owner.client.call("predictions.list", {})).predictions.map(({ id }) => id)).toEqual([
        theirs.id,
      ]);
      expect((await other.client.call("predictions.list", {})).predictions).toEqual([]);
      expect((await owner.testClient.call("predictions.list", {})).predictions).toEqual([]);
      for (const agent_id of [owner.agentId("worker"), crypto.randomUUID(), "nothing"]) {
        expect((await refusal(other.client.call("predictions.list", { agent_id }))).status).toBe(404);
      }
    });

    it("predicts test traffic separately from live traffic, and nothing for archived agents", async () => {
      const organization = await risingErrors({ mode: "test" });
      const [found] = (await organization.testClient.call("predictions.list", {})).predictions;
      expect(found).toMatchObject({ agent_id: organization.agentId("worker", "test") });
      expect((await organization.client.call("predictions.list", {})).predictions).toEqual([]);
      await organization.testClient.call("agents.update", { id: found?.agent_id ?? "", archived: true });
      lab.clock.advance(5 * 60_000);
      await eventually("it is resolved", async () => {
        const { predictions } = await organization.testClient.call("predictions.list", {
          status: "resolved",
        });
        return predictions.some(({ id }) => id === found?.id);
      });
    });

    it("rejects malformed ids, and more than fifty of them", async () => {
      const { client } = await lab.organization();
      for (const prediction_ids of [[], ["x"], Array.from({ length: 51 }, () => crypto.randomUUID())]) {
        expect((await refusal(client.call("predictions.acknowledge", { prediction_ids }))).status).toBe(400);
      }
    });

    it("there were no faults", () => {
      expect(lab.logged.filter(line => line.includes("predictions"))).toEqual([]);
    });
  });
}
