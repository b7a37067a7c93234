import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { chat } from "../support/clients/call-endpoints.ts";
import { openPage, startBrowser } from "../support/clients/chromium.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { printedKeys, type RunningTollgate, startTollgate } from "../support/labs/tollgate-process.ts";
import { eventually } from "../support/waiting/eventually.ts";

const folder = temporaryFolder();
let tollgate: RunningTollgate;
let browser: Browser;
let page: Page;
let gateway: string;
let web: string;
let key: string;

beforeAll(async () => {
  tollgate = startTollgate(folder("data"));
  gateway = await tollgate.ready();
  web = tollgate.addressOf("web");
  key = printedKeys(tollgate.stdout).test[0] ?? "";
  browser = await startBrowser();
  page = await openPage(browser);
}, 300_000);
afterAll(async () => {
  await browser.close();
  await tollgate.stop();
});

async function api(path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${web}/api/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}

async function call(agent: string, model: string = chat.body.model): Promise<void> {
  await fetch(gateway + chat.path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "x-provider-key": "k",
      "x-agent-id": agent,
      "content-type": "application/json",
    },
    body: JSON.stringify({ ...chat.body, model }),
  });
}

/** Finds boxes in the page whose content overflows. */
const tooWide = `[...document.querySelectorAll("html, section")]
  .filter(box => box.scrollWidth > box.clientWidth)
  .map(box => box.getAttribute("aria-labelledby") ?? box.tagName)`;

const textOf = async (selector: string) => (await page.locator(selector).textContent()) ?? "";
const dollars = (microcents: number) => `$${(microcents / 10_000_000).toFixed(6)}`;

describe("the pages, in a browser", () => {
  it("AUTH-008 redirect a stranger to sign-in, and the printed link via a password to the overview", async () => {
    await page.goto(`${web}/`);
    await page.waitForURL("**/sign-in");
    const link = /http:\S*magic-link\S*/.exec(tollgate.stdout)?.[0] ?? "";
    await page.goto(link);
    expect(page.url()).toBe(`${web}/welcome`);
    await page.fill("input[name=password]", "a password of some length");
    await page.click("button");
    await page.waitForURL(`${web}/`);
  });

  it("WEB-016 show calls, cost totals, agents, budgets and alerts equal to the web API's", async () => {
    await api("budgets", { period: "daily", limit_microcents: 300, enforcement_mode: "alert_only" });
    for (const agent of ["support-bot", "research", "support-bot"]) await call(agent);
    const alerts = async () => ((await api("alerts")) as { alerts: { message: string }[] }).alerts;
    await eventually("an alert is there", async () => (await alerts()).length > 0);
    const calls = async () =>
      ((await api("dashboard")) as { cost: { total_calls: number } }).cost.total_calls;
    await eventually("the read model has all calls", async () => (await calls()) === 3);
    await page.selectOption("#mode", "test");
    await page.locator("#agents td", { hasText: "support-bot" }).waitFor();
    const dashboard = (await api("dashboard")) as {
      cost: { total_calls: number; total_cost_microcents: number };
    };
    const status = (await api("budgets/status")) as { budgets: { current_spending_microcents: number }[] };
    await eventually(
      "the totals equal the web API's",
      async () =>
        (await textOf("[data-total=cost]")) === dollars(dashboard.cost.total_cost_microcents) &&
        (await textOf("[data-total=calls]")) === String(dashboard.cost.total_calls),
    );
    for (const agent of ["support-bot", "research"]) expect(await textOf("#agents")).toContain(agent);
    const spent = dollars(status.budgets[0]?.current_spending_microcents ?? -1);
    await eventually("the budget is shown", async () => (await textOf("#budgets")).includes(spent));
    await eventually("every alert is shown", async () => {
      const shown = await textOf("#alerts");
      return (await alerts()).every(({ message }) => shown.includes(message));
    });
    await eventually("every call is shown", async () => (await page.locator("#events tr").count()) === 4);
  });

  it("WEB-016 keep the selection in the URL, across a reload", async () => {
    expect(page.url()).toBe(`${web}/?mode=test`);
    await page.selectOption("#days", "7");
    expect(page.url()).toBe(`${web}/?mode=test&days=7`);
    await page.reload();
    await page.locator("#agents td", { hasText: "support-bot" }).waitFor();
    expect(await page.inputValue("#mode")).toBe("test");
    expect(await page.inputValue("#days")).toBe("7");
    expect(await textOf("#totals-title")).toBe("Last 7 days");
    await page.goto(`${web}/?mode=test&days=1234`);
    expect(await page.inputValue("#days")).toBe("30");
  });

  it("WEB-016 show a budget's owner and period, the most expensive day, and an icon", async () => {
    await page.locator("#budgets td").first().waitFor();
    const budget = await textOf("#budgets tbody tr");
    for (const piece of ["the organization", "daily", "limit reached"]) expect(budget).toContain(piece);
    const today = new Date().toISOString().slice(0, 10);
    expect(await textOf("#trend .top")).toMatch(new RegExp(`^Most: \\$0\\.\\d{6} on ${today}$`));
    expect(await textOf("#trend .dates span:last-child")).toBe(today);
    const icon = await fetch(`${web}${(await page.getAttribute("link[rel=icon]", "href")) ?? ""}`);
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  it("WEB-016 mark exceeded budgets, and show severities as text", async () => {
    const { budgets } = (await api("budgets")) as { budgets: { id: string }[] };
    await page.locator("#alerts td", { hasText: "open" }).first().waitFor();
    // An alert for the warning threshold and one for the limit, as far as they have arrived.
    expect(await page.locator("#alerts .tag").first().textContent()).toMatch(/^(critical|warning)$/);
    for (const { id } of budgets) {
      await fetch(`${web}/api/budgets/${id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${key}` },
      });
    }
    const resolved = async () =>
      ((await api("alerts")) as { alerts: { resolved_at: string | null }[] }).alerts.every(
        alert => alert.resolved_at !== null,
      );
    await eventually("the alerts are over", resolved);
    await page.reload();
    await page.locator("#alerts tr.resolved td", { hasText: "✓ resolved" }).first().waitFor();
    expect(await page.locator("#alerts tbody tr:not(.resolved)").count()).toBe(0);
  });

  it("MON-012 MON-021 show a call without a known price as unpriced, and how many calls a sum excludes", async () => {
    await call("support-bot", "gpt-nobody-knows");
    await page.reload();
    await page.locator("#events td", { hasText: /^unpriced$/ }).waitFor();
    const sum = /^\$0\.\d{6} \+ 1 unpriced$/;
    for (const place of ["[data-total=cost]", "[data-now=today]", "[data-now=month]"]) {
      await page.locator(place, { hasText: sum }).waitFor();
    }
    await page.locator("#agents td", { hasText: sum }).waitFor();
    await page.locator("#models td", { hasText: /^1 unpriced$/ }).waitFor();
    expect(await textOf("#models")).not.toContain("$0.000000");
    expect(await page.locator("#events td", { hasText: "$0.000000" }).count()).toBe(0);
  });

  it("WEB-016 fit a phone: nothing is wider than the screen or hidden in its card", async () => {
    const name = `wri\u202eter\u200b-${"long".repeat(50)}`;
    const { agents } = (await api("agents")) as { agents: { id: string }[] };
    await fetch(`${web}/api/agents/${agents[0]?.id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
    const cell = page.locator("#agents td.name", { hasText: "writer-longlong" });
    await cell.waitFor();
    expect(await cell.textContent()).toMatch(/^writer-(long)+l?o?n?…$/);
    expect(await cell.getAttribute("title")).toBe(`writer-${"long".repeat(50)}`);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      const wide = await page.evaluate<string[]>(tooWide);
      expect(wide).toEqual([]);
    }
  });

  it("WEB-016 show any agent's name as text", async () => {
    const { agents } = (await api("agents")) as { agents: { id: string; name: string }[] };
    const name = "<img src=x onerror=document.title='run'>";
    await fetch(`${web}/api/agents/${agents[0]?.id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
    await page.locator("#agents td", { hasText: name }).waitFor();
    expect(await page.title()).toBe("Overview · Tollgate");
  });

  it("WEB-013 offer a page to try the API, without external resources", async () => {
    const foreign: string[] = [];
    page.on("request", request => {
      if (!request.url().startsWith(web) && !request.url().startsWith("data:")) foreign.push(request.url());
    });
    await page.goto(`${web}/docs`);
    await page.getByText("/api/budgets/status").first().waitFor();
    expect(foreign).toEqual([]);
  });

  it("AUTH-008 sign out, and in again with e-mail and password", async () => {
    await page.goto(`${web}/`);
    await page.click("#sign-out");
    await page.waitForURL("**/sign-in");
    await page.fill("input[name=email]", "admin@localhost.localdomain");
    await page.fill("input[name=password]", "a password of some length");
    await page.click("button");
    await page.waitForURL(`${web}/`);
    await page.locator("[data-total=cost]").waitFor();
  });
});
