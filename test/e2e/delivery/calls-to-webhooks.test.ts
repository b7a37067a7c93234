import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "bun:test";
import { chat } from "../../support/clients/call-endpoints.ts";
import { expectIsoTimes } from "../../support/expect-iso-times.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  printedKeys,
  type RunningTollgate,
  startTollgate,
} from "../../support/processes/tollgate-process.ts";
import { startWebhookReceiver } from "../../support/servers/webhook-receiver.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const receiver = startWebhookReceiver("s");
let tollgate: RunningTollgate;
let headers: Record<string, string>;

beforeAll(async () => {
  tollgate = startTollgate(folder("data"), { SVC_ALLOWED_PRIVATE_TARGETS: "127.0.0.1" });
  await tollgate.ready();
  const key = printedKeys(tollgate.stdout).test[0] ?? "";
  headers = { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" };
});
afterAll(async () => {
  await tollgate.stop();
  await receiver.stop();
});

describe("a call through the gateway", () => {
  it("HOOK-004 sends event.created after a plain call, and after a streamed one with its cost", async () => {
    const web = tollgate.addressOf("web");
    const { id: orgId } = (await (await fetch(`${web}/api/organization`, { headers })).json()) as {
      id: string;
    };
    const registered = await fetch(`${web}/api/webhooks/generic/${orgId}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ url: receiver.url, events: ["event.created"], secret: "s" }),
    });
    expect(registered.status).toBe(201);
    for (const stream of [false, true]) {
      const before = receiver.received.length;
      const answer = await fetch(`${tollgate.addressOf("gateway")}${chat.path}`, {
        method: "POST",
        headers: { ...headers, "x-session-id": `run-${stream}`, "x-customer-id": "c" },
        body: JSON.stringify({ ...chat.body, stream }),
      });
      await answer.text();
      await eventually("the webhook has arrived", () => receiver.received.length === before + 1);
      const got = receiver.received.at(-1);
      const { data } = JSON.parse(got?.body ?? "") as { data: Record<string, unknown> };
      const stored = await fetch(`${web}/api/events/${answer.headers.get("x-gateway-event-id")}`, {
        headers,
      });
      expect(await stored.json()).toMatchObject(data);
      expect(data).toMatchObject({ session_id: `run-${stream}`, customer_id: "c", status: "success" });
      expect(data.cost_microcents).toBeGreaterThan(0);
      expect(got?.isSigned).toBe(true);
    }
  });

  it("WEB-015 every kind of webhook uses ISO 8601 times", async () => {
    const kinds = ["event.created", "outcome.confirmed", "alert.triggered", "budget.exceeded"];
    const all = startWebhookReceiver("s");
    onTestFinished(() => all.stop());
    const web = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
      const answer = await fetch(`${tollgate.addressOf("web")}/api/${path}`, {
        headers,
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      });
      expect([path, answer.ok]).toEqual([path, true]);
      return (await answer.json()) as Record<string, unknown>;
    };
    const { id: orgId } = await web("organization");
    await web(`webhooks/generic/${orgId}`, { url: all.url, events: kinds, secret: "s" });
    await web("budgets", { period: "daily", limit_microcents: 1, enforcement_mode: "alert_only" });
    const { id } = await web("outcomes", { name: "sold", session_id: "run-true" });
    await web(`outcomes/${id}/confirm`, {});
    const told = () =>
      all.received.map(({ body }) => JSON.parse(body) as { event_type: string; timestamp: string });
    await eventually("every kind was told", async () => {
      const call = { method: "POST", headers, body: JSON.stringify(chat.body) };
      await (await fetch(`${tollgate.addressOf("gateway")}${chat.path}`, call)).text();
      return kinds.every(kind => told().some(({ event_type }) => event_type === kind));
    });
    for (const body of told()) expect(expectIsoTimes(body.event_type, body)).toBeGreaterThan(0);
  });
});
