import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { Webhook } from "standardwebhooks";
import { refusal } from "../../support/clients/refusal.ts";
import { controlDatabases, engines } from "../../support/labs/control-databases.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";
import { SECRET } from "../../support/labs/delivery-lab.ts";
import { type Received, startWebhookReceiver } from "../../support/servers/webhook-receiver.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

function receiverOf(...args: Parameters<typeof startWebhookReceiver>) {
  const receiver = startWebhookReceiver(...args);
  undo.push(receiver.stop);
  return receiver;
}

type Kind = "event.created" | "outcome.confirmed" | "alert.triggered" | "budget.exceeded";
type Organization = Awaited<ReturnType<ControlLab["organization"]>>;

const register = ({ id, client }: Organization, url: string, events: Kind[] = ["event.created"]) =>
  client.call("webhooks.register", { orgId: id, url, events, secret: SECRET });

const dataOf = ({ body }: Pick<Received, "body">) =>
  JSON.parse(body) as { event_type: string; data: unknown };

for (const engine of engines) {
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
      await register(organization, events.url);
      await register(organization, outcomes.url, ["outcome.confirmed"]);
      const [added] = await addEvents({ session_id: "run", customer_id: "c" });
      await eventually("it has arrived", () => events.received.length === 1);
      const [got] = events.received;
      const stored = await client.call("events.get", { id: added?.id ?? "" });
      const { event_type, data } = dataOf(got ?? { body: "" });
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
      expect(dataOf(confirmed ?? { body: "" })).toEqual({
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
      } as ReturnType<typeof dataOf>);
      const rows = await lab.db.selectFrom("deliveries").select("id").where("subject_id", "=", id).execute();
      expect(rows).toHaveLength(1);
      expect([events.received.length, outcomes.received.length]).toEqual([1, 1]);
      expect(confirmed?.headers["x-webhook-signature"]).toBeTruthy();
    });

    it("HOOK-014 test traffic goes only to webhooks registered with a test key", async () => {
      const organization = await lab.organization();
      const live = receiverOf(SECRET);
      const test = receiverOf(SECRET);
      await register(organization, live.url);
      await register({ ...organization, client: organization.testClient }, test.url);
      await organization.addEvents({ mode: "test" }, { mode: "live", status: "error" });
      await eventually("both have arrived", () => live.received.length + test.received.length === 2);
      expect([live.received.length, test.received.length]).toEqual([1, 1]);
      expect(dataOf(live.received[0] ?? { body: "" }).data).toMatchObject({ status: "error" });
    });

    it("HOOK-012 every attempt is recorded and listed, and a delivery is replayed with the same id and bytes", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      let status = 500;
      const receiver = receiverOf(SECRET, () => new Response("what I say", { status }));
      const { id: webhook } = await register(organization, receiver.url);
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

    it("HOOK-012 HOOK-014 a deleted webhook gets nothing more, not even pending deliveries; its secret was never listed", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      const receiver = receiverOf(SECRET, () => new Response("", { status: 503 }));
      const { id } = await register(organization, receiver.url);
      await organization.addEvents({}, {});
      const list = () => client.call("webhooks.deliveries.list", { id });
      await eventually("both were tried", async () => {
        const { deliveries } = await list();
        return deliveries.length === 2 && deliveries.every(({ attempts }) => attempts === 1);
      });
      for (const answer of [
        await client.call("webhooks.list"),
        await client.call("webhooks.get", { id }),
        await client.call("webhooks.update", { id }),
        await list(),
      ]) {
        expect(JSON.stringify(answer)).not.toContain(SECRET);
      }
      await client.call("webhooks.delete", { id });
      const witness = receiverOf(SECRET);
      await register(organization, witness.url);
      const rows = await lab.db
        .selectFrom("deliveries")
        .select("status")
        .where("receiver", "=", id)
        .execute();
      expect(rows.map(row => row.status)).toEqual(["cancelled", "cancelled"]);
      await organization.addEvents({});
      await eventually("somebody else was told", () => witness.received.length === 1);
      expect(receiver.received).toHaveLength(2);
      expect((await refusal(list())).status).toBe(404);
    });

    it("HOOK-011 a disabled one is marked in the list, gets nothing, and gets new deliveries once it is enabled", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      let status = 410;
      const receiver = receiverOf(SECRET, () => new Response("", { status }));
      const { id } = await register(organization, receiver.url);
      await organization.addEvents({});
      await eventually("it is disabled", async () => !(await client.call("webhooks.get", { id })).enabled);
      expect((await client.call("webhooks.list")).webhooks).toMatchObject([
        { id, enabled: false, disabled_reason: expect.stringContaining("410") },
      ]);
      const { alerts } = await client.call("alerts.list");
      expect(alerts).toMatchObject([
        { type: "error_rate", severity: "critical", metadata: { kind: "webhook_disabled", webhook_id: id } },
      ]);
      expect((await refusal(client.call("webhooks.test", { id }))).status).toBe(400);
      await organization.addEvents({ session_id: "unheard" });
      status = 200;
      expect(await client.call("webhooks.update", { id, enabled: true })).toMatchObject({
        enabled: true,
        disabled_reason: null,
        failing_since: null,
      });
      await organization.addEvents({ session_id: "heard" });
      await eventually("the new one has arrived", () => receiver.received.length === 2);
      expect(receiver.received.map(received => dataOf(received).data)).toMatchObject([
        { session_id: null },
        { session_id: "heard" },
      ]);
      const [alert] = await lab.db
        .selectFrom("alerts")
        .select("resolved_at")
        .where("org_id", "=", organization.id)
        .execute();
      expect(alert?.resolved_at).toBe(lab.clock.now());
      // Also when disabled manually.
      expect((await client.call("webhooks.update", { id, enabled: false })).enabled).toBe(false);
      const witness = receiverOf(SECRET);
      await register(organization, witness.url);
      await organization.addEvents({});
      await eventually("somebody else was told", () => witness.received.length === 1);
      expect(receiver.received).toHaveLength(2);
    });

    it("a changed secret signs immediately, as does the previous one, and each is shown once", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      lab.clock.set(new Date().toISOString());
      const receiver = receiverOf(SECRET);
      const { id } = await register(organization, receiver.url);
      const made = await client.call("webhooks.rotate_secret", { id });
      expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Date.parse(made.previous_secret_valid_until)).toBe(lab.clock.now() + 86_400_000);
      expect((await client.call("webhooks.test", { id })).delivered).toBe(true);
      const chosen = await client.call("webhooks.rotate_secret", { id, secret: "of my own" });
      expect(chosen.secret).toBe("of my own");
      // Sent again, it changes nothing: the previous secret keeps signing.
      lab.clock.advance(1000);
      expect(await client.call("webhooks.rotate_secret", { id, secret: "of my own" })).toEqual(chosen);
      const kept = await lab.db
        .selectFrom("webhooks")
        .select("previous_secret")
        .where("id", "=", id)
        .execute();
      expect(kept).toEqual([{ previous_secret: made.secret }]);
      expect(JSON.stringify(await client.call("webhooks.list"))).not.toContain("of my own");
      const [test] = receiver.received;
      for (const official of [new Webhook(made.secret), new Webhook(SECRET, { format: "raw" })]) {
        expect(official.verify(test?.body ?? "", { ...test?.headers })).toMatchObject({
          event_type: "webhook.test",
        });
      }
      lab.clock.set(NOON);
    });

    it("concurrent changes all apply, and of two new secrets one is the other's predecessor", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      for (let round = 0; round < 10; round++) {
        const { id } = await register(organization, "https://example.org/before");
        const [first, second] = [
          "whsec_Zmlyc3QgYW5kIGxvbmcgZW5vdWdo",
          "whsec_c2Vjb25kIGFuZCBsb25nIGVub3VnaA==",
        ];
        await Promise.all([
          client.call("webhooks.update", { id, url: "https://example.org/after" }),
          client.call("webhooks.update", { id, events: ["alert.triggered"] }),
          client.call("webhooks.rotate_secret", { id, secret: first }),
          client.call("webhooks.rotate_secret", { id, secret: second }),
        ]);
        const row = await lab.db
          .selectFrom("webhooks")
          .selectAll()
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        expect([row.url, row.events]).toEqual(["https://example.org/after", '["alert.triggered"]']);
        expect([row.secret, row.previous_secret].toSorted()).toEqual([first, second].toSorted());
        await client.call("webhooks.delete", { id });
      }
    });

    it("HOOK-012 a test event is sent immediately, returns the answer, and is in the log", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      let answer = () => new Response("hello", { status: 418 });
      const receiver = receiverOf(SECRET, () => answer());
      const { id } = await register(organization, receiver.url);
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
      expect(receiver.received.map(received => dataOf(received).event_type)).toEqual([
        "webhook.test",
        "webhook.test",
      ]);
      expect((await client.call("webhooks.get", { id })).failing_since).toBeNull();
    });

    it("HOOK-001 HOOK-014 an organization has at most fifty; an unknown kind, or an empty secret, is 400", async () => {
      const organization = await lab.organization();
      for (let count = 0; count < 50; count++) await register(organization, "http://127.0.0.1:9/");
      expect(await refusal(register(organization, "http://127.0.0.1:9/"))).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining("50") },
      });
      await register({ ...organization, client: organization.testClient }, "http://127.0.0.1:9/");
      for (const change of [{ events: ["event.deleted"] }, { secret: "" }]) {
        const answer = await lab.send(`/api/webhooks/generic/${organization.id}`, {
          key: organization.testKey,
          method: "POST",
          body: JSON.stringify({
            url: "http://127.0.0.1:9/",
            events: ["event.created"],
            secret: "s",
            ...change,
          }),
        });
        expect(answer.status).toBe(400);
      }
    });

    it("logged no fault", () => {
      expect(lab.logged.filter(line => /deliver|webhook/i.test(line))).toEqual([]);
    });
  });
}
