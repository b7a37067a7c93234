import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { startReceiver } from "../../support/servers/start-receiver.ts";
import { refusal, startSmtp } from "../../support/servers/start-smtp.ts";

const token = "1:canary-TOKEN";
const backend = startReceiver(({ path }) => {
  if (path.endsWith("/sendMessage")) {
    const description = "Bad Request: chat not found";
    return Response.json({ ok: false, error_code: 400, description }, { status: 400 });
  }
  if (path === "/redirect") return Response.redirect("http://169.254.169.254/latest/meta-data/", 302);
  if (path === "/large") return new Response("x".repeat(1_000_000), { status: 500 });
  return new Response("ok");
});
let mail: Awaited<ReturnType<typeof startSmtp>>;
let lab: ControlLab;
beforeAll(async () => {
  mail = await startSmtp({
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith("gone") ? done(refusal(550, "no such user here")) : done(),
  });
  lab = await startControlLab(undefined, {
    smtpUrl: mail.url,
    telegram: { botToken: token, apiUrl: backend.url },
    allowedPrivateTargets: "127.0.0.1",
    timeoutMs: 60_000,
  });
});
afterAll(async () => {
  await lab.stop();
  await mail.stop();
  await backend.stop();
});

describe("a test of the alert channels", () => {
  it("ALERT-016 sends one notification over each channel that has an address, and reports each answer", async () => {
    const { id, client } = await lab.organization();
    await client.call("alerts.preferences.update", {
      email: "owner@example.org",
      slack_webhook: `${backend.url}/slack`,
      telegram_chat_id: "-5",
      webhook_url: `${backend.url}/hook`,
    });
    const before = backend.received.length;
    const answer = await client.call("alerts.test", {});
    expect(answer).toEqual({
      channels: [
        {
          channel: "email",
          delivered: true,
          error: null,
          status: 250,
          answer: expect.stringContaining("250"),
        },
        { channel: "slack", delivered: true, error: null, status: 200, answer: "ok" },
        {
          channel: "telegram",
          delivered: false,
          error: "Telegram answered 400: Bad Request: chat not found",
          status: 400,
          answer: expect.stringContaining("chat not found"),
        },
        { channel: "webhook", delivered: true, error: null, status: 200, answer: "ok" },
      ],
      message: null,
    });
    expect(mail.taken.at(-1)?.mail.subject).toStartWith("Test notification - This is a test");
    const arrived = backend.received.slice(before);
    expect(arrived.length).toBe(3);
    expect(JSON.parse(arrived.find(({ path }) => path === "/hook")?.text ?? "")).toMatchObject({
      event_type: "alert.test",
      data: { organization_id: id, mode: "live", severity: "info", metadata: { kind: "test" } },
    });
    expect(arrived.find(({ path }) => path === "/hook")?.headers["x-webhook-signature"]).toMatch(
      /^[0-9a-f]{64}$/,
    );
    expect(JSON.stringify(answer)).not.toContain("canary");
    // It is not recorded as an alert.
    expect((await client.call("alerts.list")).alerts).toEqual([]);
    expect(
      (await lab.db.selectFrom("deliveries").selectAll().where("org_id", "=", id).execute()).length,
    ).toBe(0);
  });

  it("ALERT-016 lists only channels with an address, and reports if there are none", async () => {
    const { client } = await lab.organization();
    expect(await client.call("alerts.test", {})).toEqual({
      channels: [],
      message: expect.stringContaining("No channel has an address"),
    });
    await client.call("alerts.preferences.update", { email: "gone@example.org" });
    expect(await client.call("alerts.test", {})).toEqual({
      channels: [
        {
          channel: "email",
          delivered: false,
          error: "The mail server answered 550 to the recipient",
          status: 550,
          answer: expect.stringContaining("no such user here"),
        },
      ],
      message: null,
    });
  });

  it("starts with [test] for a test key", async () => {
    const { client, testClient } = await lab.organization();
    await client.call("alerts.preferences.update", { email: "owner@example.org" });
    await testClient.call("alerts.test", {});
    expect(mail.taken.at(-1)?.mail.subject).toStartWith("[test] Test notification");
  });

  it("ALERT-016 at most 10 an hour, those of the demo included, without the organization's name", async () => {
    const { id, client, liveKey } = await lab.organization();
    const name = "Buy now at example.com";
    await lab.db.updateTable("organizations").set({ name }).where("id", "=", id).execute();
    await client.call("alerts.preferences.update", { email: "owner@example.org" });
    const headers = { "content-type": "application/json" };
    const test = (key: string) => lab.send("/api/alerts/test", { method: "POST", key, headers, body: "{}" });
    const sent = mail.taken.length;
    // Several at a time: no more than 5 may be in progress.
    for (const _ of [1, 2]) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => test(liveKey)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    }
    const taken = mail.taken.slice(sent);
    expect(taken).toHaveLength(10);
    for (const { mail: message } of taken) {
      expect(`${message.subject} ${message.text} ${message.html}`).not.toContain(name);
    }
    const refused = await test(liveKey);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
    expect(await refused.json()).toMatchObject({ limit: 10, current: 10, retry_after: 3600 });

    const demo = await lab.organization();
    await lab.db
      .insertInto("demos")
      .values({ ...sampleDemo, org_id: demo.id, home_org_id: id })
      .execute();
    await demo.client.call("alerts.preferences.update", { email: "owner@example.org" });
    expect((await test(demo.liveKey)).status).toBe(429);
    expect(mail.taken).toHaveLength(sent + 10);
    lab.clock.advance(3_600_000);
    expect((await test(liveKey)).status).toBe(200);
  });

  it("SEC-006 follows no redirect and shows a limited part of an answer", async () => {
    const { client } = await lab.organization();
    await client.call("alerts.preferences.update", {
      slack_webhook: `${backend.url}/redirect`,
      webhook_url: `${backend.url}/large`,
    });
    const { channels } = await client.call("alerts.test", {});
    expect(channels.map(({ channel, status, error }) => [channel, status, error])).toEqual([
      ["slack", 302, "The receiver answered 302, and redirects are not followed"],
      ["webhook", 500, "The receiver answered 500"],
    ]);
    expect(channels[1]?.answer?.length).toBe(200);
  });
});

const sampleDemo = {
  seed: 1,
  calls: 1,
  status: "ready",
  step: null,
  done_calls: 1,
  total_calls: 1,
  error: null,
  runner: null,
  heartbeat_at: 1,
  created_by: "cli",
  created_at: 1,
  finished_at: 1,
};
