import { afterAll, describe, expect, it } from "bun:test";
import { createHmac } from "node:crypto";
import { signedHeaders } from "@tollgate/control/messaging/delivery/sign-webhook";
import { Webhook } from "standardwebhooks";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { SECRET, startDeliveryLab } from "../../support/labs/delivery-lab.ts";
import { startWebhookReceiver } from "../../support/servers/webhook-receiver.ts";

const databases = controlDatabases();
const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

const hex = (secret: string, body: string) => createHmac("sha256", secret).update(body).digest("hex");

describe("signatures", () => {
  const body = JSON.stringify({ text: "é 💸", n: 1 });
  const at = Date.now();
  const plain = "s3cret ü";
  const key = Buffer.from("thirty-two bytes of a secret key").toString("base64");

  it.each([
    ["a plain secret, by its own bytes", plain, new Webhook(Buffer.from(plain).toString("base64"))],
    ["a whsec_ secret, by the bytes it encodes", `whsec_${key}`, new Webhook(`whsec_${key}`)],
    [
      "a secret that only starts like one of Standard Webhooks, by its own bytes",
      "whsec_audit_1",
      new Webhook(Buffer.from("whsec_audit_1").toString("base64")),
    ],
    ["whsec_ alone, by its own bytes", "whsec_", new Webhook(Buffer.from("whsec_").toString("base64"))],
  ])("HOOK-006 HOOK-007 %s", (_, secret, official) => {
    const headers = signedHeaders({ id: "msg_1", at, body, secret, previousSecret: null });
    expect(headers["X-Webhook-Signature"]).toBe(hex(secret, body));
    expect(headers["X-Webhook-Signature"]).toMatch(/^[0-9a-f]{64}$/);
    expect(headers).not.toHaveProperty("X-Webhook-Signature-Previous");
    expect(headers["webhook-timestamp"]).toBe(String(Math.floor(at / 1000)));
    expect(official.verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => official.verify(`${body} `, headers)).toThrow();
  });
});

for (const engine of systemEngines) {
  describe(`a delivery on ${engine}`, () => {
    it("HOOK-002 HOOK-006 HOOK-007 is a POST of the stored bytes, with both signatures", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      lab.clock.set(new Date().toISOString());
      const receiver = startWebhookReceiver(SECRET);
      undo.push(receiver.stop);
      const id = await lab.webhook(receiver.url);
      const [kept] = await lab.enqueue(id);
      const sender = lab.startSender();
      await lab.until(id, "delivered", 1);
      await sender.stop();
      const [got] = receiver.received;
      expect(receiver.received).toHaveLength(1);
      expect([got?.id, got?.body, got?.isSigned]).toEqual([kept?.id, kept?.body, true]);
      expect(got?.headers["content-type"]).toBe("application/json");
      expect(JSON.parse(got?.body ?? "")).toEqual({
        event_type: "event.created",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        data: { id: "event 0", cost_microcents: 0, text: "é 💸" },
      });
      expect(lab.faults).toEqual([]);
    });

    it("after a rotation both secrets sign for a day, then only the new one", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      lab.clock.set(new Date().toISOString());
      const receiver = startWebhookReceiver("new");
      undo.push(receiver.stop);
      const id = await lab.webhook(receiver.url);
      const until = lab.clock.now() + 1000;
      await lab.db
        .updateTable("webhooks")
        .set({ secret: "new", previous_secret: SECRET, previous_secret_until: until })
        .where("id", "=", id)
        .execute();
      const sender = lab.startSender();
      await lab.enqueue(id);
      await lab.until(id, "delivered", 1);
      lab.clock.advance(1000);
      await lab.enqueue(id);
      await lab.until(id, "delivered", 2);
      await sender.stop();
      const [during, after] = receiver.received;
      for (const secret of ["new", SECRET]) {
        const official = new Webhook(secret, { format: "raw" });
        expect(official.verify(during?.body ?? "", { ...during?.headers })).toBeTruthy();
      }
      expect(during?.headers["x-webhook-signature"]).toBe(hex("new", during?.body ?? ""));
      expect(during?.headers["x-webhook-signature-previous"]).toBe(hex(SECRET, during?.body ?? ""));
      expect(after?.isSigned).toBe(true);
      expect(after?.headers["webhook-signature"]).not.toContain(" ");
      expect(after?.headers).not.toHaveProperty("x-webhook-signature-previous");
    });
  });
}
