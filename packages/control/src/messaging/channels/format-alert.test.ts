import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { bodyOf } from "../delivery/delivery.ts";
import { formatAlert } from "./format-alert.ts";

const at = Date.parse("2026-11-15T12:00:00.000Z");

const messageOf = (data: Record<string, unknown>) =>
  formatAlert(
    bodyOf("alert.triggered", at, {
      organization_id: "o",
      mode: "live",
      id: "a",
      type: "budget_warning",
      severity: "warning",
      message: "A daily budget has reached its warning line (80% used)",
      metadata: {},
      agent_id: null,
      ...data,
    }),
    "https://tollgate.example",
  );

describe("the message of an alert", () => {
  it("ALERT-015 says what happened, how much, when, and where to look, on every channel", () => {
    const { subject, text, html, slack, telegram } = messageOf({
      severity: "critical",
      metadata: {
        kind: "limit",
        agent_key: "billing-bot",
        current_spending: 12_345_600_000,
        limit_microcents: 10_000_000_000,
        percentage_used: 123.46,
        budget_id: "not for people",
      },
    });
    expect(subject).toBe(
      "Critical: Budget limit reached - A daily budget has reached its warning line (80% used)",
    );
    const lines = [
      "Agent: billing-bot",
      "Spent: $1234.56",
      "Limit: $1000.00",
      "Used: 123.46%",
      "Time: 2026-11-15 12:00:00 UTC",
      "Dashboard: https://tollgate.example",
    ];
    for (const line of lines) {
      expect(text).toContain(`${line}\n`);
      expect(`${telegram}\n`).toContain(`${line}\n`);
    }
    for (const piece of ["$1234.56", "billing-bot", "123.46%", "2026-11-15 12:00:00 UTC"]) {
      expect(html).toContain(`${piece}</td>`);
      expect(JSON.stringify(slack)).toContain(`\\n${piece}`);
    }
    expect(html).toContain('href="https://tollgate.example"');
    expect(JSON.stringify(slack)).toContain("<https://tollgate.example|Open the dashboard>");
    expect([text, html, telegram, JSON.stringify(slack)].join()).not.toContain("not for people");
  });

  it("MON-021 says on every channel how many calls an amount excludes, and nothing if it excludes none", () => {
    const metadata = { kind: "limit", current_spending: 10_000_000, unpriced_calls: 3 };
    const { text, html, slack, telegram } = messageOf({ metadata });
    const said = "3 (cost unknown, not included in any amount)";
    for (const form of [text, telegram]) expect(form).toContain(`Unpriced calls: ${said}\n`);
    expect(html).toContain(`${said}</td>`);
    expect(JSON.stringify(slack)).toContain(said);
    const none = messageOf({ metadata: { ...metadata, unpriced_calls: 0 } });
    expect(JSON.stringify(none)).not.toContain("Unpriced");
  });

  it("ALERT-015 names the organization on every channel, and links to the traffic that it is about", () => {
    const { text, html, slack, telegram } = messageOf({ organization_name: "Acme\u202e <b>", mode: "test" });
    for (const form of [text, telegram]) expect(form).toContain("Organization: Acme <b>\n");
    expect(html).toContain("Acme &lt;b&gt;</td>");
    expect(JSON.stringify(slack)).toContain("*Organization*\\nAcme &lt;b&gt;");
    for (const form of [text, telegram]) expect(form).toContain("https://tollgate.example/?mode=test");
    expect(html).toContain('href="https://tollgate.example/?mode=test"');
    expect(messageOf({ organization_name: "Acme" }).text).toContain("Dashboard: https://tollgate.example\n");
  });

  it("begins with [test] for test traffic, on every channel", () => {
    const { subject, text, html, slack, telegram } = messageOf({ mode: "test" });
    expect([subject, text, slack.text, telegram].every(part => part.startsWith("[test] Warning: "))).toBe(
      true,
    );
    expect(html).toContain(">[test] Warning: Budget warning</h1>");
    expect(slack.blocks[0]?.text?.text).toStartWith("[test] ");
  });

  it.each([
    [{ kind: "daily_cost", value: 250, threshold_value: 200.5 }, ["Measured: $2.50", "Threshold: $2.005"]],
    [
      { kind: "daily_cost", value: 0.00741, threshold_value: 0.0074 },
      ["Measured: $0.0000741", "Threshold: $0.000074"],
    ],
    [{ kind: "error_rate", value: 0.125, threshold_value: 0.1 }, ["Measured: 12.5%", "Threshold: 10%"]],
    [
      { kind: "latency_p99", value: 2500, threshold_value: 1000 },
      ["Measured: 2,500 ms", "Threshold: 1,000 ms"],
    ],
    [{ kind: "webhook_disabled", host: "hooks.example" }, ["Webhook disabled", "Receiver: hooks.example"]],
    [{ current_spending: 123, average_spending: 10.4 }, ["Spent: $0.0000123", "Usual per day: $0.000001"]],
    [{ last_call_at: at, threshold_hours: 24 }, ["Last call: 2026-11-15 12:00:00 UTC", "Threshold: 24 h"]],
    [{ current_spending: "a lot", percentage_used: null, last_call_at: "never" }, ["Time: "]],
  ] as const)("shows %j in words", (metadata, expected) => {
    const { text } = messageOf({ metadata });
    for (const piece of expected) expect(text).toContain(piece);
    expect(text).not.toMatch(/NaN|undefined|Invalid|\[object/);
  });

  it("treats user text as data: no markup, no header, no hidden or reversed text, no flood", () => {
    const name =
      "x<img src=x onerror=alert(1)>&\r\nBcc: a@b.example\u202e\u200b\u2066\u{e0041}\"'<!channel> <https://evil|y>";
    const { subject, text, html, slack, telegram } = messageOf({
      message: `Agent ${name} is idle ${"long ".repeat(2000)}`,
      metadata: { agent_key: name, reason: `\ud800${"k".repeat(5000)}` },
    });
    expect(subject).not.toMatch(/[\r\n]/);
    expect([...subject].length).toBeLessThanOrEqual(150);
    expect(telegram.length).toBeLessThan(4096);
    expect(html.length).toBeLessThan(8000);
    // On a separate line it would look like one of ours.
    expect(text).not.toMatch(/^Bcc:/m);
    expect(html).not.toContain("<img");
    expect(html).not.toContain("onerror=alert(1)>");
    const marked = slack.blocks.flatMap(block => [...(block.fields ?? []), ...(block.elements ?? [])]);
    expect(marked.map(({ text }) => text).join()).not.toMatch(/<!|<https:\/\/evil/);
    expect(marked.every(part => part.verbatim === true)).toBe(true);
    expect(slack.text).not.toMatch(/[<>]/);
    for (const form of [subject, text, html, telegram, JSON.stringify(slack)]) {
      expect(form).not.toMatch(/[\u200b\u202e\u2066\u{e0041}]/u);
      expect(form.isWellFormed()).toBe(true);
    }
  });

  it("no text breaks out of its field", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.string({ unit: "binary" }),
        (message, key) => {
          const { subject, html, slack, telegram } = messageOf({
            message,
            metadata: { agent_key: key, kind: key },
          });
          const plain = messageOf({ message: "", metadata: { agent_key: "k" } });
          const tags = (page: string) => page.replace(/[^<>]/g, "").length;
          const row = tags("<tr><td></td><td></td></tr>");
          expect([0, row]).toContain(tags(plain.html) - tags(html));
          expect(/[\p{Cc}]/u.test(subject)).toBe(false);
          expect(/[<>]/.test(slack.text)).toBe(false);
          // Title, sentence, agent, time, dashboard and the empty lines between them.
          expect(telegram.split("\n").length).toBeLessThanOrEqual(8);
        },
      ),
      { numRuns: 300 },
    );
  });
});
