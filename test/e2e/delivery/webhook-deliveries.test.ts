import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";
import { SECRET } from "../../support/labs/delivery-lab.ts";
import { payloadOf } from "../../support/servers/webhook-receiver.ts";
import { webhookReceivers } from "../../support/servers/webhook-receivers.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { registerWebhook } from "./register-webhook.ts";

const databases = controlDatabases();
const receiverOf = webhookReceivers();

for (const engine of systemEngines) {
  describe(`webhooks on ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      const outgoing = { allowedPrivateTargets: "127.0.0.1", timeoutMs: 60_000 };
      lab = await startControlLab(await databases.place(engine), outgoing);
    });
    afterAll(() => lab.stop());

    it("HOOK-002 HOOK-003 HOOK-005 ROI-002 get events and confirmed outcomes, the selected kinds and no others", async () => {
      const organization = await lab.organization();
      const { client, addEvents } = organization;
      await addEvents({ session_id: "before" });
      const events = receiverOf(SECRET);
      const outcomes = receiverOf(SECRET);
      await registerWebhook(organization, events.url);
      await registerWebhook(organization, outcomes.url, ["outcome.confirmed"]);
      const [added] = await addEvents({ session_id: "run", customer_id: "c" });
      await eventually("it has arrived", () => events.received.length === 1);
      const [got] = events.received;
      const stored = await client.call("events.get", { id: added?.id ?? "" });
      const { event_type, data } = payloadOf(got ?? { body: "" });
      expect(event_type).toBe("event.created");
      expect(Object.keys(Object(data))).toEqual([
        "id",
        "org_id",
        "agent_key",
        "provider",
        "model",
        "input_tokens",
        "output_tokens",
        "cost_microcents",
        "cost_basis",
        "latency_ms",
        "status",
        "session_id",
        "customer_id",
      ]);
      expect(stored).toMatchObject(Object(data));

      const { id } = await client.call("outcomes.create", { name: "sold", session_id: "run" });
      // Twice concurrently: the first counts, and is sent once.
      await Promise.all([
        client.call("outcomes.confirm", { id, confirmed_by: "crm" }),
        client.call("outcomes.confirm", { id, confirmed_by: "crm" }),
      ]);
      await client.call("outcomes.confirm", { id, confirmed_by: "else" });
      await eventually("it has arrived", () => outcomes.received.length > 0);
      const [confirmed] = outcomes.received;
      expect(payloadOf(confirmed ?? { body: "" })).toEqual({
        event_type: "outcome.confirmed",
        timestamp: NOON,
        data: {
          id,
          org_id: organization.id,
          name: "sold",
          session_id: "run",
          confirmed_by: "crm",
          confirmed_at: NOON,
          related_events: 1,
        },
      } as ReturnType<typeof payloadOf>);
      const rows = await lab.db.selectFrom("deliveries").select("id").where("subject_id", "=", id).execute();
      expect(rows).toHaveLength(1);
      expect([events.received.length, outcomes.received.length]).toEqual([1, 1]);
      expect(confirmed?.headers["x-webhook-signature"]).toBeTruthy();
    });

    it("HOOK-014 test traffic goes only to webhooks registered with a test key", async () => {
      const organization = await lab.organization();
      const live = receiverOf(SECRET);
      const test = receiverOf(SECRET);
      await registerWebhook(organization, live.url);
      await registerWebhook({ ...organization, client: organization.testClient }, test.url);
      await organization.addEvents({ mode: "test" }, { mode: "live", status: "error" });
      await eventually("both have arrived", () => live.received.length + test.received.length === 2);
      expect([live.received.length, test.received.length]).toEqual([1, 1]);
      expect(payloadOf(live.received[0] ?? { body: "" }).data).toMatchObject({ status: "error" });
    });

    it("HOOK-012 every attempt is recorded and listed, and a delivery is replayed with the same id and bytes", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      let status = 500;
      const receiver = receiverOf(SECRET, () => new Response("what I say", { status }));
      const { id: webhook } = await registerWebhook(organization, receiver.url);
      await organization.addEvents({}, {}, {});
      const list = (query: object = {}) => client.call("webhooks.deliveries.list", { id: webhook, ...query });
      await eventually("all three were tried", async () => {
        const { deliveries } = await list();
        return deliveries.length === 3 && deliveries.every(({ attempts }) => attempts === 1);
      });
      const { deliveries } = await list();
      expect(deliveries[0]).toEqual({
        id: expect.any(String),
        webhook_id: webhook,
        kind: "event.created",
        subject_id: expect.any(String),
        status: "pending",
        attempts: 1,
        last_http_status: 500,
        last_error: expect.stringContaining("500"),
        created_at: NOON,
        next_attempt_at: expect.any(String),
        finished_at: null,
      });
      expect((await client.call("webhooks.get", { id: webhook })).failing_since).toBe(NOON);
      const [first] = deliveries;
      const id = first?.id ?? "";
      status = 200;
      await client.call("webhooks.deliveries.replay", { id });
      await eventually(
        "it was delivered",
        async () => (await list({ status: "delivered" })).deliveries.length === 1,
      );
      const { body, attempt_log } = await client.call("webhooks.deliveries.get", { id });
      expect(attempt_log).toEqual([
        {
          number: 1,
          started_at: NOON,
          duration_ms: expect.any(Number),
          http_status: 500,
          error: expect.stringContaining("500"),
          answer: "what I say",
        },
        {
          number: 2,
          started_at: NOON,
          duration_ms: expect.any(Number),
          http_status: 200,
          error: null,
          answer: "what I say",
        },
      ]);
      const same = receiver.received.filter(({ id: received }) => received === id);
      expect(same.map(received => received.body)).toEqual([body, body]);
      expect((await client.call("webhooks.get", { id: webhook })).failing_since).toBeNull();

      // Also everything in a time range, whatever its result.
      expect(
        await client.call("webhooks.replay", { id: webhook, from: NOON, to: "2026-11-16", status: "failed" }),
      ).toEqual({ replayed: 0 });
      expect(await client.call("webhooks.replay", { id: webhook, from: "2026-11-15", to: NOON })).toEqual({
        replayed: 0,
      });
      expect(
        await client.call("webhooks.replay", {
          id: webhook,
          from: NOON,
          to: "2026-11-16",
          status: "delivered",
        }),
      ).toEqual({ replayed: 1 });
      await eventually("it came again", () => receiver.received.filter(r => r.id === id).length === 3);

      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ limit: 1, kind: "event.created", ...(cursor ? { cursor } : {}) });
        seen.push(...page.deliveries.map(delivery => delivery.id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(deliveries.map(delivery => delivery.id));
      expect((await list({ kind: "webhook.test" })).deliveries).toEqual([]);

      const other = await lab.organization();
      for (const client of [other.client, organization.testClient]) {
        for (const call of [
          () => client.call("webhooks.get", { id: webhook }),
          () => client.call("webhooks.update", { id: webhook, enabled: false }),
          () => client.call("webhooks.rotate_secret", { id: webhook }),
          () => client.call("webhooks.test", { id: webhook }),
          () => client.call("webhooks.deliveries.list", { id: webhook }),
          () => client.call("webhooks.deliveries.get", { id }),
          () => client.call("webhooks.deliveries.replay", { id }),
          () => client.call("webhooks.replay", { id: webhook, from: "2026-11-15", to: "2026-11-16" }),
          () => client.call("webhooks.delete", { id: webhook }),
        ]) {
          expect((await refusal(call())).status).toBe(404);
        }
      }
    });

    it("HOOK-012 a test event is sent immediately, returns the answer, and is in the log", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      let answer = () => new Response("hello", { status: 418 });
      const receiver = receiverOf(SECRET, () => answer());
      const { id } = await registerWebhook(organization, receiver.url);
      const refused = await client.call("webhooks.test", { id });
      expect(refused).toEqual({
        delivery_id: expect.any(String),
        delivered: false,
        http_status: 418,
        error: expect.stringContaining("418"),
        answer: "hello",
        duration_ms: expect.any(Number),
      });
      answer = () => Response.json({ success: true });
      const sent = await client.call("webhooks.test", { id });
      expect([sent.delivered, sent.http_status, sent.error]).toEqual([true, 200, null]);
      const { deliveries } = await client.call("webhooks.deliveries.list", { id, kind: "webhook.test" });
      expect(deliveries.map(({ id, status, attempts }) => [id, status, attempts])).toEqual([
        [sent.delivery_id, "delivered", 1],
        [refused.delivery_id, "failed", 1],
      ]);
      expect(receiver.received.map(received => payloadOf(received).event_type)).toEqual([
        "webhook.test",
        "webhook.test",
      ]);
      expect((await client.call("webhooks.get", { id })).failing_since).toBeNull();
    });

    it("logged no fault", () => {
      expect(lab.logged.filter(line => /deliver|webhook/i.test(line))).toEqual([]);
    });
  });
}
