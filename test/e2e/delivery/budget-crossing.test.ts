import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  isAlive,
  printedKeys,
  type RunningTollgate,
  startTollgate,
} from "../../support/processes/tollgate-process.ts";
import { startMailServer } from "../../support/servers/mail-server.ts";
import { startWebhookReceiver } from "../../support/servers/webhook-receiver.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const secret = "told to the customer's backend";
const dataDir = temporaryFolder()("data");
const slack = startWebhookReceiver("no secret");
const backend = startWebhookReceiver(secret);
let mail: Awaited<ReturnType<typeof startMailServer>>;
let tollgate: RunningTollgate;
let key: string;

beforeAll(async () => {
  mail = await startMailServer();
  tollgate = startTollgate(dataDir, {
    SVC_ALLOWED_PRIVATE_TARGETS: "127.0.0.1",
    SVC_SMTP_URL: mail.url,
  });
  await tollgate.ready();
  key = printedKeys(tollgate.stdout).test[0] ?? "";
});
afterAll(async () => {
  await tollgate.stop();
  await Promise.all([mail.stop(), slack.stop(), backend.stop()]);
});

async function api(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${tollgate.addressOf("web")}/api/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** Resolves with the cost of the call. */
async function call(): Promise<number> {
  const answer = await fetch(`${tollgate.addressOf("gateway")}${chat.path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
    body: JSON.stringify(chat.body),
  });
  await answer.text();
  return Number(answer.headers.get("x-gateway-cost"));
}

interface LiveMessage {
  readonly channel: string;
  readonly seq: number;
  readonly data: Record<string, unknown>;
}

async function watch(channels: readonly string[]) {
  const messages: LiveMessage[] = [];
  let isSubscribed = false;
  const socket = new WebSocket(`${tollgate.addressOf("web").replace("http", "ws")}/api/live`, {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as LiveMessage | { readonly subscribed: readonly string[] };
    if ("subscribed" in message) isSubscribed = true;
    else messages.push(message);
  };
  await new Promise((opened, failed) => {
    socket.onopen = opened;
    socket.onerror = failed;
  });
  socket.send(JSON.stringify({ subscribe: channels, ack: true }));
  // The first subscription starts now: an alert raised before it would not be sent.
  await eventually("the subscription is acknowledged", () => isSubscribed);
  return { messages, close: () => socket.close() };
}

describe("a budget that crosses its warning threshold", () => {
  it("ALERT-012 ALERT-013 ALERT-015 LIVE-003 is reported by alert, mail, Slack, webhook and live message, each once, within a second", async () => {
    const { id: orgId } = await api("GET", "organization");
    await api("PATCH", "alerts/preferences", {
      email: "owner@example.com",
      slack_webhook: slack.url,
    });
    await api("POST", `webhooks/generic/${orgId}`, {
      url: backend.url,
      events: ["alert.triggered", "budget.exceeded"],
      secret,
    });
    const cost = await call();
    expect(cost).toBeGreaterThan(0);
    const budget = await api("POST", "budgets", {
      period: "monthly",
      limit_microcents: cost * 10,
      warning_pct: 50,
      enforcement_mode: "alert_only",
    });
    const live = await watch(["alerts"]);

    for (let made = 0; made < 4; made++) await call();
    expect([mail.received.length, slack.received.length, backend.received.length]).toEqual([0, 0, 0]);
    await call();
    await eventually(
      "everyone was notified",
      () =>
        mail.received.length > 0 &&
        slack.received.length > 0 &&
        backend.received.length > 0 &&
        live.messages.length > 0,
    );
    // A second evaluation must find nothing new.
    await call();
    const { alerts } = (await api("GET", "alerts")) as { alerts: Record<string, unknown>[] };
    expect(alerts).toHaveLength(1);
    expect(alerts[0]).toMatchObject({
      type: "budget_warning",
      severity: "warning",
      metadata: { budget_id: budget.id, percentage_used: 50 },
    });
    await eventually("what was sent is recorded", async () => {
      const answer = (await api("GET", "alerts")) as {
        alerts: { notifications: { channel: string; status: string }[] }[];
      };
      const told = answer.alerts[0]?.notifications.map(({ channel, status }) => `${channel} ${status}`);
      return JSON.stringify(told?.toSorted()) === JSON.stringify(["email delivered", "slack delivered"]);
    });

    const [sent] = mail.received;
    expect(sent?.to).toEqual(["owner@example.com"]);
    expect(sent?.mail.text).toContain("50%");
    expect(sent?.mail.html).toContain("50%");
    expect(JSON.parse(slack.received[0]?.body ?? "")).toMatchObject({
      text: expect.stringContaining("50%"),
    });
    expect(backend.received.map(({ isSigned }) => isSigned)).toEqual([true]);
    expect(JSON.parse(backend.received[0]?.body ?? "")).toMatchObject({
      event_type: "alert.triggered",
      data: { id: alerts[0]?.id, type: "budget_warning" },
    });
    expect(live.messages).toHaveLength(1);
    expect(live.messages[0]).toMatchObject({ channel: "alerts", data: { id: alerts[0]?.id } });

    live.close();
  });

  it("ALERT-013 REL-007 reports the limit once, even if the control plane dies while reporting it", async () => {
    const before = [mail.received.length, slack.received.length, backend.received.length];
    const pid = tollgate.controlPid() ?? 0;
    const busy = Promise.all(Array.from({ length: 6 }, call));
    process.kill(pid, "SIGKILL");
    await busy;
    await eventually("it ended", () => !isAlive(pid));
    await eventually(
      "everyone was notified of the limit",
      () =>
        mail.received.length > (before[0] ?? 0) &&
        slack.received.length > (before[1] ?? 0) &&
        backend.received.length > (before[2] ?? 0) + 1,
    );
    const { alerts } = (await api("GET", "alerts")) as { alerts: { severity: string }[] };
    expect(alerts.map(({ severity }) => severity)).toEqual(["critical", "warning"]);
    const kinds = backend.received.map(({ body }) => (JSON.parse(body) as { event_type: string }).event_type);
    expect(new Set(kinds)).toEqual(new Set(["alert.triggered", "budget.exceeded"]));
  });
});
