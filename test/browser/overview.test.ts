import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { chat } from "../support/call-endpoints.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { eventually } from "../support/test-gateway.ts";
import { printedKeys, type RunningTollgate, startTollgate } from "../support/tollgate-process.ts";

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
  page = await browser.newPage();
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

async function call(agent: string): Promise<void> {
  await fetch(gateway + chat.path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "x-provider-key": "k",
      "x-agent-id": agent,
      "content-type": "application/json",
    },
    body: JSON.stringify(chat.body),
  });
}

const textOf = async (selector: string) => (await page.locator(selector).textContent()) ?? "";
const dollars = (microcents: number) => `$${(microcents / 10_000_000).toFixed(6)}`;

describe("the pages, in a browser", () => {
  it("AUTH-008 lead a stranger to sign-in, and the printed link through a password to the overview", async () => {
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
    await page.selectOption("#mode", "test");
    await page.locator("#agents td", { hasText: "support-bot" }).waitFor();
    const dashboard = (await api("dashboard")) as {
      cost: { total_calls: number; total_cost_microcents: number };
    };
    const status = (await api("budgets/status")) as { budgets: { current_spending_microcents: number }[] };
    expect(await textOf("[data-total=cost]")).toBe(dollars(dashboard.cost.total_cost_microcents));
    expect(await textOf("[data-total=calls]")).toBe(String(dashboard.cost.total_calls));
    for (const agent of ["support-bot", "research"]) expect(await textOf("#agents")).toContain(agent);
    expect(await textOf("#budgets")).toContain(dollars(status.budgets[0]?.current_spending_microcents ?? -1));
    for (const { message } of await alerts()) expect(await textOf("#alerts")).toContain(message);
    expect(await page.locator("#events tr").count()).toBe(4);
  });

  it("WEB-016 show an agent's name as text, whatever it is", async () => {
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

  it("WEB-013 offer a page to try the API, with nothing fetched from elsewhere", async () => {
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
