import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createServer } from "node:net";
import { createTransports } from "@tollgate/control/messaging/channels/create-transports";
import type { SMTPServerOptions } from "smtp-server";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { sampleAlert } from "../../support/rows/sample-alert.ts";
import { refusal, startSmtp } from "../../support/servers/start-smtp.ts";

let lab: ControlLab;
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(async () => {
  for (const step of undo) await step();
  await lab.stop();
});

async function mailServer(options?: SMTPServerOptions) {
  const server = await startSmtp(options);
  undo.push(server.stop);
  return server;
}

async function send(
  smtpUrl: string | null,
  email: string | null,
  alert: Record<string, unknown> = {},
  timeoutMs = 60_000,
) {
  const { id, client } = await lab.organization();
  if (email !== null) await client.call("alerts.preferences.update", { email });
  const { db, clock } = lab;
  const publicUrl = "https://tollgate.example/base";
  const transports = createTransports({ db, now: clock.now, publicUrl, smtpUrl, timeoutMs });
  return await transports.email(sampleAlert(id, alert));
}

const delivered = { outcome: "delivered", httpStatus: 250, error: null };

describe("alerts by mail", () => {
  it("ALERT-015 arrive with a text and an HTML part, a sender, and an id that identifies repeats", async () => {
    const { url, taken } = await mailServer();
    expect(await send(url, "owner@example.org")).toMatchObject(delivered);
    const [first] = taken;
    expect(taken.length).toBe(1);
    expect(first?.to).toEqual(["owner@example.org"]);
    expect(first?.from).toBe("tollgate@tollgate.example");
    expect(first?.mail).toMatchObject({
      from: { address: "tollgate@tollgate.example" },
      to: [{ address: "owner@example.org" }],
      subject: "Critical: Budget limit reached - A daily budget has reached its limit (100% used)",
      messageId: "<01900000-0000-7000-8000-000000000001@tollgate.example>",
      date: "2026-11-15T12:00:00.000Z",
    });
    expect(first?.mail.text).toContain("Spent: $1.00");
    expect(first?.mail.text).toContain("Dashboard: https://tollgate.example/base");
    expect(first?.mail.html).toContain("<td");
    expect(first?.mail.html).toContain('href="https://tollgate.example/base"');
    expect(first?.mail.headers.find(({ key }) => key === "auto-submitted")?.value).toBe("auto-generated");
  });

  it("go to several recipients, from the sender in the URL; one rejected address does not affect the rest", async () => {
    const { url, taken } = await mailServer({
      onRcptTo: ({ address }, _session, done) =>
        address.startsWith("gone") ? done(refusal(550, "no such user")) : done(),
    });
    const from = `${url}?from=Tollgate <alerts@example.org>`;
    expect(await send(from, "a@example.org, b@example.org")).toMatchObject(delivered);
    expect(taken[0]).toMatchObject({ from: "alerts@example.org", to: ["a@example.org", "b@example.org"] });
    expect(taken[0]?.mail.from).toMatchObject({ name: "Tollgate", address: "alerts@example.org" });
    expect(await send(from, "a@example.org,gone@example.org")).toMatchObject({
      ...delivered,
      error: "1 of 2 recipients was refused",
    });
    expect(taken[1]?.to).toEqual(["a@example.org"]);
  });

  it("cannot get another header or recipient through an agent's name", async () => {
    const { url, taken } = await mailServer();
    const message = "Agent x\r\nBcc: evil@example.org\r\n\r\n<script>alert(1)</script> is idle";
    await send(url, "owner@example.org", { message, metadata: { agent_key: message } });
    expect(taken[0]?.to).toEqual(["owner@example.org"]);
    expect(taken[0]?.mail.headers.some(({ key }) => key === "bcc")).toBe(false);
    expect(taken[0]?.mail.html).not.toContain("<script");
  });

  it.each([
    [550, "permanent_failure", "The mail server answered 550 to the recipient"],
    [451, "failed", "The mail server answered 451"],
  ] as const)("a recipient rejected with %d: %s", async (code, outcome, error) => {
    const { url } = await mailServer({ onRcptTo: (_to, _session, done) => done(refusal(code, "not here")) });
    expect(await send(url, "owner@example.org")).toEqual({
      outcome,
      httpStatus: code,
      error,
      answer: expect.stringContaining("not here"),
      retryAfterMs: null,
    });
  });

  it.each([
    [554, "permanent_failure"],
    [452, "failed"],
  ] as const)("a message rejected with %d: %s", async (code, outcome) => {
    const { url } = await mailServer({
      onData(stream, _session, done) {
        stream.on("end", () => done(refusal(code, "not this one")));
        stream.resume();
      },
    });
    expect(await send(url, "owner@example.org")).toMatchObject({ outcome, httpStatus: code });
  });

  it("a server that rejects the sender, or the connection, is retried", async () => {
    const { url } = await mailServer({
      onMailFrom: (_from, _session, done) => done(refusal(550, "not you")),
    });
    expect(await send(url, "owner@example.org")).toMatchObject({ outcome: "failed", httpStatus: 550 });
    const closed = await startSmtp();
    await closed.stop();
    expect(await send(closed.url, "owner@example.org")).toMatchObject({
      outcome: "failed",
      httpStatus: null,
      error: "The mail server could not be reached",
    });
  });

  it("a server that hangs, at its greeting or after the message, times out", async () => {
    const silent = createServer(() => {});
    await new Promise<void>(listening => silent.listen(0, "127.0.0.1", listening));
    undo.push(() => silent.close());
    const address = silent.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const late = await mailServer({ onData: stream => void stream.resume() });
    for (const url of [`smtp://127.0.0.1:${port}`, late.url]) {
      expect(await send(url, "owner@example.org", {}, 300)).toMatchObject({
        outcome: "failed",
        error: "The mail server did not answer in time",
      });
    }
  });

  it("authenticate if the server requires it, and never reveal the password on failure", async () => {
    const { port, taken } = await mailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === "us@er" && password === "p:ss"
          ? done(null, { user: username })
          : done(new Error(`wrong: ${username} ${password}`)),
    });
    expect(await send(`smtp://us%40er:p%3Ass@127.0.0.1:${port}`, "owner@example.org")).toMatchObject(
      delivered,
    );
    expect(taken[0]?.user).toBe("us@er");
    const refused = await send(`smtp://us%40er:canary@127.0.0.1:${port}`, "owner@example.org");
    expect(refused).toMatchObject({
      outcome: "failed",
      error: "The mail server did not accept the user name and password of SVC_SMTP_URL",
      answer: null,
    });
    expect(JSON.stringify(refused)).not.toContain("canary");
    expect(await send(`smtp://127.0.0.1:${port}`, "owner@example.org")).toMatchObject({ outcome: "failed" });
  });

  it("are encrypted if the URL requires it, or not sent at all", async () => {
    const open = await mailServer({ disabledCommands: [] });
    const query = "tls.rejectUnauthorized=false";
    expect(await send(`${open.url}?${query}`, "owner@example.org")).toMatchObject(delivered);
    expect(await send(`${open.url}?ignoreTLS=true`, "owner@example.org")).toMatchObject(delivered);
    expect(open.taken.map(({ isEncrypted }) => isEncrypted)).toEqual([true, false]);
    // A self-signed certificate is not trusted.
    expect((await send(open.url, "owner@example.org")).outcome).toBe("failed");
    const plain = await mailServer();
    expect(await send(`${plain.url}?requireTLS=true&${query}`, "owner@example.org")).toMatchObject({
      outcome: "failed",
      error: "The connection to the mail server could not be encrypted",
    });
    const implicit = await mailServer({ secure: true });
    expect(await send(`smtps://127.0.0.1:${implicit.port}?${query}`, "owner@example.org")).toMatchObject(
      delivered,
    );
    expect(implicit.taken[0]?.isEncrypted).toBe(true);
    expect([open.taken.length, plain.taken.length]).toEqual([2, 0]);
  });

  it("report which setting is missing, or that there is no address", async () => {
    expect(await send(null, "owner@example.org")).toMatchObject({
      outcome: "permanent_failure",
      error: "This server sends no mail: SVC_SMTP_URL is not set",
    });
    const { url } = await mailServer();
    expect(await send(url, null)).toMatchObject({
      outcome: "permanent_failure",
      error: "There is no address for this channel",
    });
  });
});
