import { describe, expect, it } from "bun:test";
import { KEPT_MS, pruneDeliveries } from "@tollgate/control/messaging/delivery/prune-deliveries";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { startDeliveryLab } from "../../support/labs/delivery-lab.ts";

const databases = controlDatabases();

for (const engine of systemEngines) {
  describe(`old deliveries on ${engine}`, () => {
    it("are deleted thirty days after their end, with their attempts; pending or newer ones stay", async () => {
      const database = await databases.open(engine);
      const lab = await startDeliveryLab(database);
      const now = lab.clock.now();
      const webhook = await lab.webhook("http://127.0.0.1:9/");
      const old = now - KEPT_MS - 1;
      const ended = { status: "delivered", created_at: old - 1000 } as const;
      await lab.enqueue(webhook, 1100, { ...ended, finished_at: old });
      await lab.enqueue(webhook, 3, { ...ended, finished_at: now - KEPT_MS + 1 });
      await lab.enqueue(webhook, 2, { ...ended, status: "pending", finished_at: null });
      const mail = await lab.enqueue(`email:${lab.orgId}`, 4, {
        ...ended,
        channel: "email",
        finished_at: old,
      });
      const attempt = {
        number: 1,
        started_at: old,
        duration_ms: 1,
        http_status: 200,
        error: null,
        answer: null,
      };
      const kept = await lab.enqueue(webhook, 1, { status: "failed", finished_at: now });
      for (const { id } of [...mail, ...kept]) {
        await lab.db
          .insertInto("delivery_attempts")
          .values({ delivery_id: id, ...attempt })
          .execute();
      }
      expect(await pruneDeliveries(database, now)).toBe(1104);
      expect(await lab.statuses(webhook)).toEqual({ delivered: 3, pending: 2, failed: 1 });
      const attempts = await lab.db.selectFrom("delivery_attempts").select("delivery_id").execute();
      expect(attempts.map(row => row.delivery_id)).toEqual(kept.map(({ id }) => id));
      expect(await pruneDeliveries(database, now)).toBe(0);
    });

    it("of deleted webhooks are all deleted", async () => {
      const database = await databases.open(engine);
      const lab = await startDeliveryLab(database);
      await lab.enqueue("gone", 700);
      await lab.enqueue(await lab.webhook("http://127.0.0.1:9/"), 2);
      await lab.enqueue(`slack:${lab.orgId}`, 2, { channel: "slack" });
      expect(await pruneDeliveries(database, lab.clock.now())).toBe(700);
      expect((await lab.db.selectFrom("deliveries").select("id").execute()).length).toBe(4);
    });
  });
}
