import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createTransports } from "@tollgate/control/messaging/channels/create-transports";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { sampleAlert } from "../../support/rows/sample-alert.ts";
import { startReceiver } from "../../support/servers/start-receiver.ts";

const token = "123456:canary-TOKEN";
let answer = (): Response | Promise<Response> => Response.json({ ok: true });
const telegram = startReceiver(() => answer());
let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(async () => {
  await telegram.stop();
  await lab.stop();
});

async function send(
  telegram_chat_id: string | null = "-100123",
  bot: { botToken: string; apiUrl: string } | null = { botToken: token, apiUrl: `${telegram.url}/` },
  timeoutMs = 60_000,
) {
  const { id, client } = await lab.organization();
  await client.call("alerts.preferences.update", { telegram_chat_id });
  const transports = createTransports({
    db: lab.db,
    now: lab.clock.now,
    publicUrl: "https://tollgate.example",
    telegram: bot,
    timeoutMs,
  });
  return await transports.telegram(sampleAlert(id));
}

const refused = (status: number, description: string, parameters?: unknown) => () =>
  Response.json({ ok: false, error_code: status, description, parameters }, { status });

describe("alerts to Telegram", () => {
  it("ALERT-015 are sent by the operator's bot to the chat in the preferences, even at a private address", async () => {
    answer = () => Response.json({ ok: true, result: { text: "x".repeat(9000) } });
    expect(await send()).toEqual({
      outcome: "delivered",
      httpStatus: 200,
      error: null,
      answer: null,
      retryAfterMs: null,
    });
    expect(telegram.received.map(({ path }) => path)).toEqual([`/bot${token}/sendMessage`]);
    expect(JSON.parse(telegram.received[0]?.text ?? "")).toEqual({
      chat_id: "-100123",
      text: [
        "Critical: Budget limit reached",
        "",
        "A daily budget has reached its limit (100% used)",
        "",
        "Spent: $1.00",
        "Limit: $1.00",
        "Time: 2026-11-15 12:00:00 UTC",
        "",
        "Dashboard: https://tollgate.example",
      ].join("\n"),
      link_preview_options: { is_disabled: true },
    });
  });

  it.each([
    [400, "Bad Request: chat not found", "permanent_failure"],
    [403, "Forbidden: bot was blocked by the user", "permanent_failure"],
    [401, "Unauthorized", "failed"],
    [500, "Internal Server Error", "failed"],
  ] as const)(
    "an answer of %d (%s): %s, with Telegram's own message",
    async (status, description, outcome) => {
      answer = refused(status, description);
      expect(await send()).toMatchObject({
        outcome,
        httpStatus: status,
        error: `Telegram answered ${status}: ${description}`,
      });
    },
  );

  it("wait as long as Telegram requests", async () => {
    answer = refused(429, "Too Many Requests: retry after 35", { retry_after: 35 });
    expect(await send()).toMatchObject({ outcome: "failed", httpStatus: 429, retryAfterMs: 35_000 });
  });

  it("never show the token, follow no redirect, and do not wait forever", async () => {
    const before = telegram.received.length;
    const shown = [];
    answer = refused(404, `Not Found: /bot${token}/sendMessage`);
    shown.push(await send());
    answer = () => new Response(`<html>${token}</html>`, { status: 502 });
    shown.push(await send());
    answer = () => Response.redirect(`${telegram.url}/elsewhere`, 307);
    shown.push(await send());
    answer = () => new Promise<Response>(() => {});
    shown.push(await send("-1", { botToken: token, apiUrl: telegram.url }, 1500));
    shown.push(await send("-1", { botToken: token, apiUrl: "http://127.0.0.1:9" }));
    expect(shown.map(({ outcome }) => outcome)).toEqual(shown.map(() => "failed"));
    expect(JSON.stringify(shown)).not.toContain("canary");
    expect(lab.logged.join()).not.toContain("canary");
    expect(telegram.received.length - before).toBe(4);
  });

  it("report which setting is missing, or that there is no chat", async () => {
    expect(await send("-1", null)).toMatchObject({
      outcome: "permanent_failure",
      error: "This server has no Telegram bot: SVC_TELEGRAM_BOT_TOKEN is not set",
    });
    expect(await send(null)).toMatchObject({ error: "There is no address for this channel" });
  });
});
