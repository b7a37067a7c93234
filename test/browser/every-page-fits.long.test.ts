import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { DESKTOP } from "../support/clients/chromium.ts";
import {
  openFirstRow,
  pagePaths,
  settled,
  views,
  violations,
  wrongAtAnySize,
} from "../support/clients/dashboard-pages.ts";
import { type DashboardLab, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { eventually } from "../support/waiting/eventually.ts";

const hostile = `<img src=x onerror=document.title='run'>wri\u202eter-${"long".repeat(40)}`;
let lab: DashboardLab;
let paths: string[];

beforeAll(async () => {
  lab = await startDashboardLab();
  await lab.api("POST", "budgets", {
    period: "daily",
    limit_microcents: 300,
    enforcement_mode: "alert_only",
  });
  for (const agent of ["planner", "w".repeat(200)]) {
    await lab.send({ agent, session: "s".repeat(200), customer: "c".repeat(200) });
  }
  await lab.send({ agent: "planner", model: "gpt-nobody-knows" });
  await sendExpensiveCall();
  const agents = async () => (await lab.api<{ agents: { id: string }[] }>("GET", "agents")).agents;
  await eventually("both agents are listed", async () => (await agents()).length === 2);
  for (const { id } of await agents()) await lab.api("PATCH", `agents/${id}`, { name: hostile });
  await lab.open("/");
  paths = await pagePaths(lab.page);
}, 600_000);
afterAll(async () => {
  await lab.stop();
});

/** A call of more than $10,000,000, by a price that only a person may set and as many tokens as can be reported. */
async function sendExpensiveCall(): Promise<void> {
  const { page, web } = lab;
  const price = { input_per_million_cents: "0", output_per_million_cents: "3086419.725" };
  const answer = await page.request.post(`${web}/api/prices/overrides`, {
    headers: { origin: web },
    data: { provider: "openai", model: "gpt-of-gold", ...price },
  });
  expect(answer.status()).toBe(201);
  interface Event {
    readonly model: string;
    readonly is_unpriced: boolean;
  }
  await eventually("a call has this price", async () => {
    const reported = await fetch(`${lab.gateway}/v1/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${lab.testKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        events: [
          {
            agent_key: "planner",
            provider: "openai",
            model: "gpt-of-gold",
            output_tokens: 1e9,
            session_id: "gold",
          },
        ],
      }),
    });
    expect(reported.status).toBe(200);
    const { events } = await lab.api<{ events: Event[] }>("GET", "events?limit=10");
    return events.some(({ model, is_unpriced }) => model === "gpt-of-gold" && !is_unpriced);
  });
}

/** Amounts and other numbers (but prices of a million tokens, which nobody sets that high) that are cut, covered by the next figure or outside of their table, and labels outside of their chart. */
const cutAmounts = `[
  ...[...document.querySelectorAll(".stat-value, td[data-phone=amount], td.number:not([data-label$='1M'])")].filter(
    box => box.scrollWidth > Math.ceil(box.parentElement.matches(".stat") ? box.parentElement.clientWidth : box.clientWidth),
  ),
  ...[...document.querySelectorAll("td[data-phone=amount]")].filter(
    box => box.getBoundingClientRect().right > box.closest(".table-scroller").getBoundingClientRect().right + 1,
  ),
  ...[...document.querySelectorAll(".chart-label")].filter(
    label => label.getBoundingClientRect().left < label.ownerSVGElement.getBoundingClientRect().left,
  ),
].map(box => box.textContent)`;

describe("every page of the dashboard", () => {
  it("shows amounts of any size in full, on a phone and in a narrow window", async () => {
    const { page } = lab;
    for (const path of ["/", "/calls", "/agents", "/customers", "/sessions", "/models", "/budgets"]) {
      await lab.open(path);
      for (const width of [1440, 1024, 768, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await settled(page);
        expect([path, width, await page.evaluate(cutAmounts)]).toEqual([path, width, []]);
      }
    }
    await page.setViewportSize(DESKTOP);
  });

  it("DASH-007 has no axe-core violation, light, dark and on a phone, and is not wider than that", async () => {
    const isFine = async (what: string) =>
      expect([what, await wrongAtAnySize(lab.page, views)]).toEqual([what, []]);
    for (const path of paths) {
      await lab.open(path);
      await isFine(path);
      if (await openFirstRow(lab.page)) await isFine(`the first row of ${path}`);
    }
  });

  it("DASH-007 has an accessible palette, help and menu", async () => {
    const { page } = lab;
    await lab.open("/calls");
    await settled(page);
    for (const [key, role] of [
      ["Control+k", "combobox"],
      ["?", "dialog"],
      ["/", "combobox"],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole(role).first().waitFor(soon);
      expect([key, await violations(lab.page)]).toEqual([key, []]);
      await page.keyboard.press("Escape");
      await page
        .getByRole(role)
        .first()
        .waitFor({ ...soon, state: "detached" });
    }
  });

  it("DASH-008 shows hostile names as text, breaks no policy, and asks no other host", async () => {
    expect(await lab.page.title()).not.toBe("run");
    expect(lab.complaints).toEqual([]);
  });
});
