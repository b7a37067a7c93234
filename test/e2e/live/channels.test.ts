import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { liveChannels } from "@tollgate/core/live/live-channels";
import { microcents } from "@tollgate/core/money/money";
import { next, type Watching, watch } from "../../support/clients/watch.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { adjust } from "../../support/labs/read-model-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const costing = (amount: number) => ({ cost_microcents: microcents(amount) });

for (const engine of systemEngines) {
  describe(`the live channel, ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());

    async function watchAll(key: string): Promise<Watching> {
      const watching = await watch(lab.url, { key });
      await watching.subscribe(liveChannels);
      await eventually("all states are there", () =>
        (["totals", "agents", "topology"] as const).every(channel => watching.of(channel).length > 0),
      );
      return watching;
    }

    it("LIVE-003 sends a new call as the web API lists it, and its cost in totals equal to the web API's", async () => {
      const { readKey, client, addEvents, agentId } = await lab.organization();
      await addEvents(costing(1000), { ...costing(500), status: "error" });
      const watching = await watchAll(readKey);
      const before = watching.of("totals").at(-1)?.data;
      expect(before?.today).toMatchObject({ calls: 2, errors: 1, cost_microcents: 1500 });
      const told = await next(watching, "events", () => addEvents({ ...costing(250), agent_key: "writer" }));
      const { events } = await client.call("events.list", { limit: 1 });
      expect(told.data).toEqual(events[0] as never);
      expect(told.data.agent_id).toBe(agentId("writer"));
      await eventually("totals hold the call", () => watching.of("totals").at(-1)?.data.today.calls === 3);
      const totals = watching.of("totals").at(-1);
      expect(totals?.seq).toBe(told.seq);
      lab.clock.advance(1);
      const { cost } = await client.call("dashboard.get", { days: 1 });
      expect(totals?.data.today).toEqual({
        calls: cost.total_calls,
        errors: cost.error_calls,
        input_tokens: cost.input_tokens,
        output_tokens: cost.output_tokens,
        cost_microcents: cost.total_cost_microcents,
        unpriced_calls: cost.unpriced_calls,
      });
      expect(totals?.data.month).toEqual(totals?.data.today as never);
      await watching.close();
    });

    it("LIVE-003 sends a new agent in agents and topology, and transitions between agents", async () => {
      const { readKey, addEvents, agentId } = await lab.organization();
      await addEvents(
        { agent_key: "planner", session_id: "s", ...costing(1) },
        { agent_key: "writer", session_id: "s", ...costing(10) },
      );
      await lab.isPublished();
      const watching = await watchAll(readKey);
      const [planner, writer] = [agentId("planner"), agentId("writer")];
      expect(watching.of("topology").at(-1)?.data.edges).toEqual([
        { from: planner, to: writer, count: 1, cost_microcents: 10, unpriced_calls: 0 },
      ]);
      const told = await next(watching, "topology", () =>
        addEvents({ agent_key: "critic", session_id: "s", ...costing(100) }),
      );
      expect(told.data.nodes).toContainEqual({
        agent_id: agentId("critic"),
        agent_key: "critic",
        name: "critic",
        call_count: 1,
        cost_microcents: 100,
        unpriced_calls: 0,
      });
      expect(told.data.edges).toContainEqual({
        from: writer,
        to: agentId("critic"),
        count: 1,
        cost_microcents: 100,
        unpriced_calls: 0,
      });
      await eventually("agents told", () =>
        watching.of("agents").some(({ data }) => data.agents.some(agent => agent.agent_key === "critic")),
      );
      // After the snapshot only changes are sent.
      expect(
        watching
          .of("agents")
          .at(-1)
          ?.data.agents.map(agent => agent.agent_key),
      ).toEqual(["critic"]);
      await watching.close();
    });

    it("LIVE-003 sends a status change caused by calls, time or people within a second", async () => {
      const { readKey, client, addEvents, agentId } = await lab.organization();
      await addEvents({ agent_key: "bot" });
      const watching = await watchAll(readKey);
      const id = agentId("bot");
      const last = () => watching.of("agents").at(-1)?.data.agents[0];
      expect(last()).toMatchObject({ id, status: "active", is_paused: false });
      const failed = { agent_key: "bot", status: "error" } as const;
      await addEvents(failed, failed, failed, failed);
      await eventually("the errors are told", () => last()?.status === "error");
      lab.clock.advance(3_600_000 + 10_000);
      await eventually("an hour later it is active again", () => last()?.status === "active");
      await client.call("agents.update", { id, name: "<b>Bot</b>" });
      await eventually("the name is told", () => last()?.name === "<b>Bot</b>");
      await lab.db.updateTable("agent_settings").set({ paused_at: 1 }).where("agent_id", "=", id).execute();
      await eventually("the pause is told", () => last()?.is_paused === true);
      await client.call("agents.resume", { id });
      await eventually("the resume is told", () => last()?.is_paused === false);
      lab.clock.advance(24 * 3_600_000);
      await eventually("a day later it is idle", () => last()?.status === "idle");
      const { agents } = await client.call("agents.list");
      expect(agents[0]).toMatchObject({ status: "idle", name: "<b>Bot</b>" });
      await watching.close();
    });

    it("LIVE-003 sends an alert, with a seq after the events that were sent before it", async () => {
      const { id, readKey, client, addEvents } = await lab.organization();
      await client.call("budgets.create", {
        period: "monthly",
        limit_microcents: 1000,
        enforcement_mode: "alert_only",
      });
      const watching = await watchAll(readKey);
      lab.clock.advance(1);
      // The ledger sees a new budget a moment later if the database is not the local file.
      await eventually("an alert is sent", async () => {
        await addEvents(costing(5000));
        return watching.of("alerts").length > 0;
      });
      const [told] = watching.of("alerts");
      if (told === undefined) throw new Error("the message is gone");
      const [alert] = (await client.call("alerts.list")).alerts;
      expect(told.data).toEqual({ ...alert, notifications: [] } as never);
      const place = lab.placeOf(id, told.seq);
      const before = watching.messages.slice(0, watching.messages.indexOf(told));
      expect(before.every(({ seq }) => lab.placeOf(id, seq) <= place)).toBe(true);
      expect(place % 1_000_000).toBeGreaterThan(0);
      await watching.close();
    });

    it("LIVE-003 sends totals again after a rerating", async () => {
      const { readKey, client, addEvents } = await lab.organization();
      const [event] = await addEvents(costing(1000));
      const watching = await watchAll(readKey);
      if (event === undefined) throw new Error("no event");
      const cost = () => watching.of("totals").at(-1)?.data.today.cost_microcents;
      expect(cost()).toBe(1000);
      await adjust(lab.database, event, 77);
      await eventually("the new cost is told", () => cost() === 1077);
      lab.clock.advance(1);
      expect((await client.call("dashboard.get")).cost.total_cost_microcents).toBe(1077);
      await watching.close();
    });

    it("LIVE-002 sends a viewer only its subscribed channels, and only its own organization's", async () => {
      const ours = await lab.organization();
      const theirs = await lab.organization();
      const onlyEvents = await watch(lab.url, { key: ours.readKey });
      await onlyEvents.subscribe(["events", "totals"]);
      await eventually("subscribed", () => onlyEvents.of("totals").length > 0);
      onlyEvents.socket.send(JSON.stringify({ unsubscribe: ["totals"] }));
      // Messages are processed in order: once this one is answered, the previous one has taken effect.
      onlyEvents.socket.send("nonsense");
      await eventually("unsubscribed", () => onlyEvents.errors.length === 1);
      const all = await watchAll(ours.liveKey);
      const testMode = await watchAll(ours.testKey);
      await theirs.addEvents({ agent_key: "theirs", ...costing(9) });
      await ours.addEvents({ mode: "test", agent_key: "tested", ...costing(90) });
      const totalsBefore = onlyEvents.of("totals").length;
      await ours.addEvents({ agent_key: "ours", ...costing(900) });
      await eventually("it is told", () => onlyEvents.of("events").length > 0 && all.of("events").length > 0);
      expect(onlyEvents.of("totals").length).toBe(totalsBefore);
      expect(new Set(onlyEvents.messages.map(({ channel }) => channel))).toEqual(
        new Set(["events", "totals"]),
      );
      for (const watching of [onlyEvents, all]) {
        expect(watching.of("events").map(({ data }) => data.agent_key)).toEqual(["ours"]);
      }
      await eventually("its totals", () => all.of("totals").at(-1)?.data.today.cost_microcents === 900);
      await eventually("the test call is told", () => testMode.of("events").length > 0);
      expect(testMode.of("events").map(({ data }) => data.agent_key)).toEqual(["tested"]);
      const foreign = JSON.stringify([...onlyEvents.messages, ...all.messages]);
      for (const name of ["theirs", "tested", theirs.id]) expect(foreign).not.toContain(name);
      expect(JSON.stringify(testMode.messages)).not.toContain('"ours"');
      // A new request replaces the subscription.
      await onlyEvents.subscribe(["agents"]);
      await eventually("agents", () => onlyEvents.of("agents").length > 0);
      await ours.addEvents({ agent_key: "late" });
      await eventually("the agent is told", () => onlyEvents.of("agents").length > 1);
      expect(onlyEvents.of("events")).toHaveLength(1);
      for (const watching of [onlyEvents, all, testMode]) await watching.close();
    });

    it("LIVE-003 shows no more than the tier's history: neither old events nor their cost", async () => {
      const { id, readKey, addEvents } = await lab.organization("starter");
      const old = lab.clock.now() - 8 * 86_400_000;
      await addEvents({ created_at: old, ...costing(5) }, costing(3));
      const watching = await watchAll(readKey);
      expect(watching.of("totals").at(-1)?.data.last_30_days).toMatchObject({ calls: 1, cost_microcents: 3 });
      await addEvents({ created_at: old, source: "ingest", ...costing(7) });
      await addEvents(costing(4));
      // The earlier one may be sent too, if the channel had not reached it when the viewer connected.
      const shown = () => JSON.stringify(watching.of("events"));
      await eventually("the new one is told", () => shown().includes('"cost_microcents":4'));
      for (const hidden of [5, 7]) expect(shown()).not.toContain(`"cost_microcents":${hidden}`);
      await eventually("totals", () => watching.of("totals").at(-1)?.data.last_30_days.calls === 2);
      await lab.db.updateTable("organizations").set({ tier: "pro" }).where("id", "=", id).execute();
      const calls = () => watching.of("totals").at(-1)?.data.last_30_days.calls;
      await eventually("a larger tier shows more at once", () => calls() === 4);
      await watching.close();
    });
  });
}
