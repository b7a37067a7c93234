import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createHmac } from "node:crypto";
import {
  alertWebhookSecret,
  rotateAlertWebhookSecret,
} from "@tollgate/control/features/alert-preferences/webhook-secret";
import { createTransports } from "@tollgate/control/messaging/channels/create-transports";
import { Webhook } from "standardwebhooks";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { organizationRow } from "../../support/rows/organization-row.ts";
import { sampleAlert } from "../../support/rows/sample-alert.ts";
import { startReceiver } from "../../support/servers/start-receiver.ts";

let answer = () => new Response("thanks");
const backend = startReceiver(() => answer());
const databases = controlDatabases();
let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(async () => {
  await backend.stop();
  await lab.stop();
});

type Organization = Awaited<ReturnType<ControlLab["organization"]>>;

const organizationWith = async (webhook_url: string | null): Promise<Organization> => {
  const organization = await lab.organization();
  await organization.client.call("alerts.preferences.update", { webhook_url });
  return organization;
};

const send = (organization: Organization) =>
  createTransports({
    db: lab.db,
    now: lab.clock.now,
    publicUrl: "https://tollgate.example",
    allowedPrivateTargets: "127.0.0.1",
    timeoutMs: 60_000,
  }).alert_webhook(sampleAlert(organization.id));

const plainSignature = (secret: string, body: string) =>
  createHmac("sha256", secret).update(body).digest("hex");

/** The official library compares with the real time, so the lab's clock must be close to it. */
const verify = (secret: string, { text, headers }: (typeof backend.received)[number]) =>
  new Webhook(secret).verify(text, { ...headers });

describe("alerts to their own webhook", () => {
  it("ALERT-015 ALERT-020 arrive with the body that every receiver expects, and both signatures", async () => {
    lab.clock.set(new Date().toISOString());
    const organization = await organizationWith(`${backend.url}/alerts`);
    const { secret } = await organization.client.call("alerts.webhook_secret.get", {});
    expect(await send(organization)).toMatchObject({
      outcome: "delivered",
      httpStatus: 200,
      answer: "thanks",
    });
    const request = backend.received.at(-1);
    if (!request) throw new Error("nothing arrived");
    expect(request.path).toBe("/alerts");
    expect(request.text).toBe(sampleAlert(organization.id).body);
    expect(JSON.parse(request.text)).toMatchObject({
      event_type: "alert.triggered",
      data: { severity: "critical" },
    });
    expect(request.headers["webhook-id"]).toBe(sampleAlert(organization.id).id);
    expect(request.headers["x-webhook-signature"]).toBe(plainSignature(secret, request.text));
    expect(() => verify(secret, request)).not.toThrow();
    expect(request.headers["x-webhook-signature-previous"]).toBeUndefined();
  });

  it("are also signed with the old secret for a day after it was changed", async () => {
    lab.clock.set(new Date().toISOString());
    const organization = await organizationWith(backend.url);
    const { client } = organization;
    const old = await client.call("alerts.webhook_secret.get", {});
    expect(old.previous_secret_until).toBeNull();
    const fresh = await client.call("alerts.webhook_secret.rotate", {});
    expect(fresh.secret).not.toBe(old.secret);
    expect(Date.parse(fresh.previous_secret_until ?? "") - lab.clock.now()).toBe(86_400_000);
    await send(organization);
    const during = backend.received.at(-1);
    if (!during) throw new Error("nothing arrived");
    expect(() => verify(old.secret, during)).not.toThrow();
    expect(() => verify(fresh.secret, during)).not.toThrow();
    expect(during.headers["x-webhook-signature"]).toBe(plainSignature(fresh.secret, during.text));
    expect(during.headers["x-webhook-signature-previous"]).toBe(plainSignature(old.secret, during.text));
    lab.clock.advance(86_400_000);
    await send(organization);
    const after = backend.received.at(-1);
    expect(after?.headers["webhook-signature"]?.split(" ").length).toBe(1);
    expect(after?.headers["x-webhook-signature-previous"]).toBeUndefined();
    expect(await client.call("alerts.webhook_secret.get", {})).toEqual({
      ...fresh,
      previous_secret_until: null,
    });
  });

  it.each([
    [204, "delivered"],
    [302, "failed"],
    [404, "failed"],
    [410, "permanent_failure"],
    [503, "failed"],
  ] as const)("an answer of %d: %s", async (status, outcome) => {
    answer = () => new Response(null, { status, headers: status === 302 ? { location: backend.url } : {} });
    const before = backend.received.length;
    expect(await send(await organizationWith(backend.url))).toMatchObject({ outcome, httpStatus: status });
    expect(backend.received.length - before).toBe(1);
    answer = () => new Response("thanks");
  });

  it("are not sent without an address", async () => {
    expect(await send(await organizationWith(null))).toMatchObject({ outcome: "permanent_failure" });
  });

  it("are retried after a fault of our own, without exposing details", async () => {
    const { db } = await databases.open("sqlite");
    await db.schema.dropTable("alert_preferences").execute();
    const faults: unknown[] = [];
    const transports = createTransports({
      db,
      now: lab.clock.now,
      publicUrl: "https://tollgate.example",
      smtpUrl: "smtp://127.0.0.1:9",
      telegram: { botToken: "1:t", apiUrl: backend.url },
      onFault: fault => faults.push(fault),
    });
    for (const way of ["email", "slack", "telegram", "alert_webhook"] as const) {
      expect(await transports[way](sampleAlert("o"))).toMatchObject({
        outcome: "failed",
        error: "The message could not be sent because of a fault in this server",
      });
    }
    expect(faults.length).toBe(4);
  });

  it("do not show their secret with read permission only", async () => {
    const { id, readKey, liveKey } = await lab.organization();
    const viewer = await lab.member(id, "viewer");
    expect((await lab.send("/api/alerts/webhook-secret", { key: readKey })).status).toBe(403);
    expect((await viewer.send(`${lab.url}/api/alerts/webhook-secret`)).status).toBe(403);
    expect((await lab.send("/api/alerts/webhook-secret", { key: liveKey })).status).toBe(200);
  });
});

describe.each(systemEngines)("the alert webhook's secret on %s", engine => {
  it("is created once despite concurrent first requests, and belongs to one organization", async () => {
    const { db } = await databases.open(engine);
    for (const id of ["one", "two"]) {
      await db
        .insertInto("organizations")
        .values(organizationRow({ id, name: id, tier: "pro" }))
        .execute();
    }
    const parts = { db, now: () => 5 };
    const made = await Promise.all(Array.from({ length: 20 }, () => alertWebhookSecret(parts, "one")));
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(1);
    expect(made[0]?.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const rotated = await rotateAlertWebhookSecret(parts, "one");
    expect(rotated).toMatchObject({
      previous_secret: made[0]?.secret ?? "",
      previous_secret_until: 86_400_005,
    });
    const other = await rotateAlertWebhookSecret(parts, "two");
    expect(other.previous_secret).toBeNull();
    expect([rotated.secret, made[0]?.secret]).not.toContain(other.secret);
  });
});
