import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createTransports } from "@tollgate/control/messaging/channels/create-transports";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { sampleAlert } from "../../support/rows/sample-alert.ts";
import { startReceiver } from "../../support/servers/start-receiver.ts";

let answer = () => new Response("ok");
const slack = startReceiver(() => answer());
let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(async () => {
  await slack.stop();
  await lab.stop();
});

async function send(slack_webhook: string | null) {
  const { id, client } = await lab.organization();
  await client.call("alerts.preferences.update", { slack_webhook });
  const transports = createTransports({
    db: lab.db,
    now: lab.clock.now,
    publicUrl: "https://tollgate.example",
    allowedPrivateTargets: "127.0.0.1",
    timeoutMs: 60_000,
  });
  return await transports.slack(sampleAlert(id));
}

describe("alerts to Slack", () => {
  it("ALERT-015 arrive as text and blocks at the address in the preferences", async () => {
    answer = () => new Response("ok");
    expect(await send(`${slack.url}/services/T/B/x`)).toEqual({
      outcome: "delivered",
      httpStatus: 200,
      error: null,
      answer: "ok",
      retryAfterMs: null,
    });
    const [request] = slack.received;
    expect(request?.path).toBe("/services/T/B/x");
    expect(request?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(request?.text ?? "")).toEqual({
      text: "Critical: Budget limit reached: A daily budget has reached its limit (100% used)",
      blocks: [
        {
          type: "header",
          text: { type: "plain_text", text: "Critical: Budget limit reached", emoji: false },
        },
        {
          type: "section",
          text: {
            type: "plain_text",
            text: "A daily budget has reached its limit (100% used)",
            emoji: false,
          },
        },
        {
          type: "section",
          fields: [
            { type: "mrkdwn", text: "*Spent*\n$1.00", verbatim: true },
            { type: "mrkdwn", text: "*Limit*\n$1.00", verbatim: true },
            { type: "mrkdwn", text: "*Time*\n2026-11-15 12:00:00 UTC", verbatim: true },
          ],
        },
        {
          type: "context",
          elements: [
            { type: "mrkdwn", text: "<https://tollgate.example|Open the dashboard>", verbatim: true },
          ],
        },
      ],
    });
  });

  it.each([
    [400, "invalid_payload", "permanent_failure"],
    [403, "action_prohibited", "permanent_failure"],
    [404, "no_service", "permanent_failure"],
    [410, "channel_is_archived", "permanent_failure"],
    [500, "rollup_error", "failed"],
  ] as const)("an answer of %d (%s): %s, with Slack's own message", async (status, words, outcome) => {
    answer = () => new Response(words, { status });
    expect(await send(slack.url)).toMatchObject({
      outcome,
      httpStatus: status,
      answer: words,
      error: `The receiver answered ${status}`,
    });
  });

  it("wait as long as Slack requests", async () => {
    answer = () => new Response("slow down", { status: 429, headers: { "retry-after": "30" } });
    expect(await send(slack.url)).toMatchObject({ outcome: "failed", retryAfterMs: 30_000 });
  });

  it("are not sent without an address", async () => {
    expect(await send(null)).toMatchObject({
      outcome: "permanent_failure",
      error: "There is no address for this channel",
    });
  });
});
