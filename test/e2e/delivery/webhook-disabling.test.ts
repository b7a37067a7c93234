import { afterAll, describe, expect, it } from "bun:test";
import { cancelPending } from "@tollgate/control/messaging/delivery/due-deliveries";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { SECRET, startDeliveryLab } from "../../support/labs/delivery-lab.ts";
import { startWebhookReceiver } from "../../support/servers/webhook-receiver.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

const DAY = 86_400_000;

for (const engine of systemEngines) {
  describe(`an endpoint on ${engine}`, () => {
    it("HOOK-011 that answers 410 is disabled immediately, with one alert, and gets nothing more", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      const receiver = startWebhookReceiver(SECRET, () => new Response("", { status: 410 }));
      undo.push(receiver.stop);
      const url = `${receiver.url}?token=hidden`;
      const webhook = await lab.webhook(url, ["event.created", "alert.triggered"]);
      await lab.enqueue(webhook, 300);
      await lab.enqueue(webhook, 5, { next_attempt_at: lab.clock.now() + DAY });
      const first = lab.startSender();
      await eventually("it is disabled", async () => (await lab.findWebhook(webhook)).disabled_at !== null);
      await eventually("nothing is pending", async () => (await lab.statuses(webhook)).pending === undefined);
      await first.stop();
      const got = receiver.received.length;
      const alerts = await lab.db.selectFrom("alerts").selectAll().execute();
      expect(alerts).toHaveLength(1);
      expect(alerts[0]).toMatchObject({ type: "error_rate", severity: "critical", resolved_at: null });
      expect(JSON.parse(alerts[0]?.metadata ?? "")).toEqual({
        kind: "webhook_disabled",
        webhook_id: webhook,
        host: new URL(url).host,
        reason: expect.stringContaining("410"),
      });
      expect(JSON.stringify(alerts)).not.toContain("hidden");
      // Deliveries enqueued afterwards, by a process that has not noticed, are not sent.
      await lab.enqueue(webhook, 20);
      const sender = lab.startSender();
      sender.wake([webhook]);
      await eventually("nothing is pending", async () => (await lab.statuses(webhook)).pending === undefined);
      await sender.stop();
      expect(receiver.received).toHaveLength(got);
      expect((await lab.statuses(webhook)).cancelled).toBeGreaterThan(200);
      expect(lab.faults).toEqual([]);
    });

    it("HOOK-011 that fails for five days is disabled with an alert, and not a day earlier", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      const receiver = startWebhookReceiver(SECRET, () => new Response("", { status: 500 }));
      undo.push(receiver.stop);
      const webhook = await lab.webhook(receiver.url);
      const sender = lab.startSender();
      for (const day of [0, 1, 2, 3, 4]) {
        const [made] = await lab.enqueue(webhook);
        sender.wake([webhook]);
        await eventually("it was tried", async () => (await lab.attempts(made?.id ?? "")).length > 0);
        expect([day, (await lab.findWebhook(webhook)).disabled_at]).toEqual([day, null]);
        lab.clock.advance(DAY);
      }
      await lab.enqueue(webhook);
      await eventually("it is disabled", async () => (await lab.findWebhook(webhook)).disabled_at !== null);
      await eventually("nothing is pending", async () => {
        // An attempt that was being recorded is not cancelled: it is withdrawn when it is due again.
        lab.clock.advance(DAY);
        return (await lab.statuses(webhook)).pending === undefined;
      });
      await sender.stop();
      const alerts = await lab.db.selectFrom("alerts").selectAll().execute();
      expect(alerts.map(({ message }) => message)).toEqual([expect.stringContaining("five days")]);
    });

    it("HOOK-011 a success restarts the five days", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      let status = 500;
      const receiver = startWebhookReceiver(SECRET, () => new Response("", { status }));
      undo.push(receiver.stop);
      const webhook = await lab.webhook(receiver.url);
      const sender = lab.startSender();
      for (const [answer, days] of [
        [500, 2],
        [500, 2],
        [200, 0],
        [500, 2],
        [500, 2],
        [500, 0],
      ] as const) {
        status = answer;
        const [made] = await lab.enqueue(webhook);
        sender.wake([webhook]);
        await eventually("it was tried", async () => (await lab.attempts(made?.id ?? "")).length > 0);
        lab.clock.advance(days * DAY);
      }
      await sender.stop();
      const { disabled_at, failing_since } = await lab.findWebhook(webhook);
      expect([disabled_at, failing_since]).toEqual([null, lab.clock.now() - 4 * DAY]);
    });

    it("HOOK-011 a failed attempt weeks after another starts a new series, and does not disable it", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      const receiver = startWebhookReceiver(SECRET, () => new Response("", { status: 500 }));
      undo.push(receiver.stop);
      const webhook = await lab.webhook(receiver.url);
      const sender = lab.startSender();
      for (const days of [0, 21]) {
        // Nothing of the first series is pending.
        await lab.db.updateTable("deliveries").set({ status: "failed", finished_at: 1 }).execute();
        lab.clock.advance(days * DAY);
        const [made] = await lab.enqueue(webhook);
        sender.wake([webhook]);
        await eventually("it was tried", async () => (await lab.attempts(made?.id ?? "")).length > 0);
      }
      await sender.stop();
      const { disabled_at, failing_since } = await lab.findWebhook(webhook);
      expect([disabled_at, failing_since]).toEqual([null, lab.clock.now()]);
    });

    it("HOOK-011 whose address was changed is not disabled by the old address's answer", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      const asked = Promise.withResolvers<void>();
      const changed = Promise.withResolvers<void>();
      const old = startWebhookReceiver(SECRET, async () => {
        asked.resolve();
        await changed.promise;
        return new Response("", { status: 410 });
      });
      const new_ = startWebhookReceiver(SECRET);
      undo.push(old.stop, new_.stop);
      const webhook = await lab.webhook(old.url);
      const [first] = await lab.enqueue(webhook);
      const sender = lab.startSender();
      await asked.promise;
      lab.clock.advance(1);
      await lab.db
        .updateTable("webhooks")
        .set({ url: new_.url, updated_at: lab.clock.now() })
        .where("id", "=", webhook)
        .execute();
      changed.resolve();
      await lab.until(webhook, "failed", 1);
      expect((await lab.delivery(first?.id ?? "")).status).toBe("failed");
      await lab.enqueue(webhook, 3);
      sender.wake([webhook]);
      await lab.until(webhook, "delivered", 3);
      await sender.stop();
      const { disabled_at, failing_since } = await lab.findWebhook(webhook);
      expect([disabled_at, failing_since]).toEqual([null, null]);
      expect(await lab.db.selectFrom("alerts").selectAll().execute()).toEqual([]);
      expect(lab.faults).toEqual([]);
    });

    it("HOOK-011 that is enabled again while its long queue is being cancelled gets all new deliveries", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      const { db } = lab;
      const webhook = await lab.webhook("http://127.0.0.1:9/");
      await lab.enqueue(webhook, 3000);
      const disabledAt = lab.clock.now();
      await db.updateTable("webhooks").set({ disabled_at: disabledAt }).where("id", "=", webhook).execute();
      const cancelling = cancelPending(lab, webhook, disabledAt);
      lab.clock.advance(1);
      await db.updateTable("webhooks").set({ disabled_at: null }).where("id", "=", webhook).execute();
      await lab.enqueue(webhook, 5);
      await cancelling;
      expect(await lab.statuses(webhook)).toEqual({ cancelled: 3000, pending: 5 });
    });

    it("HOOK-011 that is enabled again keeps its pending deliveries, even if an earlier attempt finds it disabled", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      const receiver = startWebhookReceiver(SECRET);
      undo.push(receiver.stop);
      const webhook = await lab.webhook(receiver.url);
      await lab.enqueue(webhook, 1);
      const later = await lab.enqueue(webhook, 5, { next_attempt_at: lab.clock.now() + DAY });
      const withdrawn = {
        outcome: "withdrawn",
        httpStatus: null,
        error: "",
        answer: null,
        retryAfterMs: null,
      } as const;
      const sender = lab.startSender({ transports: { ...lab.transports, webhook: async () => withdrawn } });
      await lab.until(webhook, "cancelled", 1);
      await sender.stop();
      expect(await lab.statuses(webhook)).toEqual({ cancelled: 1, pending: later.length });
    });
  });
}
