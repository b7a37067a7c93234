import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { Webhook } from "standardwebhooks";
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

    it("HOOK-012 HOOK-014 a deleted webhook gets nothing more, not even pending deliveries; its secret was never listed", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      const receiver = receiverOf(SECRET, () => new Response("", { status: 503 }));
      const { id } = await registerWebhook(organization, receiver.url);
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
      await registerWebhook(organization, witness.url);
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
      const { id } = await registerWebhook(organization, receiver.url);
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
      expect(receiver.received.map(received => payloadOf(received).data)).toMatchObject([
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
      await registerWebhook(organization, witness.url);
      await organization.addEvents({});
      await eventually("somebody else was told", () => witness.received.length === 1);
      expect(receiver.received).toHaveLength(2);
    });

    it("a changed secret signs immediately, as does the previous one, and each is shown once", async () => {
      const organization = await lab.organization();
      const { client } = organization;
      lab.clock.set(new Date().toISOString());
      const receiver = receiverOf(SECRET);
      const { id } = await registerWebhook(organization, receiver.url);
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
        const { id } = await registerWebhook(organization, "https://example.org/before");
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

    it("HOOK-001 HOOK-014 an organization has at most fifty; an unknown kind, or an empty secret, is 400", async () => {
      const organization = await lab.organization();
      for (let count = 0; count < 45; count++) await registerWebhook(organization, "http://127.0.0.1:9/");
      const atOnce = await Promise.allSettled(
        Array.from({ length: 10 }, () => registerWebhook(organization, "http://127.0.0.1:9/")),
      );
      expect(atOnce.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
      expect(await refusal(registerWebhook(organization, "http://127.0.0.1:9/"))).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining("50") },
      });
      await registerWebhook({ ...organization, client: organization.testClient }, "http://127.0.0.1:9/");
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
