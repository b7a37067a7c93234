import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { chat } from "../support/clients/call-endpoints.ts";
import { openPage, startBrowser } from "../support/clients/chromium.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import {
  isAlive,
  printedKeys,
  type RunningTollgate,
  startTollgate,
} from "../support/labs/tollgate-process.ts";
import { eventually } from "../support/waiting/eventually.ts";

const folder = temporaryFolder();
let tollgate: RunningTollgate;
let browser: Browser;
let page: Page;
let gateway: string;
let web: string;
let key: string;
/** Requests that the page made to the web API. */
const asked: string[] = [];

beforeAll(async () => {
  tollgate = startTollgate(folder("data"));
  gateway = await tollgate.ready();
  web = tollgate.addressOf("web");
  key = printedKeys(tollgate.stdout).test[0] ?? "";
  browser = await startBrowser();
  page = await openPage(browser);
  page.on("request", request => {
    if (request.url().startsWith(`${web}/api/`)) asked.push(request.url());
  });
  await page.goto(/http:\S*magic-link\S*/.exec(tollgate.stdout)?.[0] ?? "");
  await page.fill("input[name=password]", "a password of some length");
  await page.click("button");
  await page.waitForURL(`${web}/`);
}, 300_000);
afterAll(async () => {
  await browser.close();
  await tollgate.stop();
});

const headers = () => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });

async function call(agent: string, session = "s"): Promise<void> {
  const answer = await fetch(gateway + chat.path, {
    method: "POST",
    headers: { ...headers(), "x-provider-key": "k", "x-agent-id": agent, "x-session-id": session },
    body: JSON.stringify(chat.body),
  });
  await answer.text();
  expect(answer.status).toBe(200);
}

const textOf = async (selector: string) => (await page.locator(selector).textContent()) ?? "";
/** Playwright's default timeout is 30 seconds. */
const soon = { timeout: 240_000 };

describe("the open dashboard", () => {
  it("LIVE-007 shows a new call, new totals, a new agent and a new alert without a reload, using only the live channel", async () => {
    await page.selectOption("#mode", "test");
    await page.locator("#live[data-state=live]").waitFor();
    await page.locator("[data-now=today]").waitFor();
    await fetch(`${web}/api/budgets`, {
      method: "POST",
      headers: headers(),
      body: JSON.stringify({ period: "daily", limit_microcents: 300, enforcement_mode: "alert_only" }),
    });
    // From here on the web API does not answer the page: everything it shows came over the live channel.
    await page.route("**/api/**", route => route.abort());
    await call("planner");
    await page.locator("#events td", { hasText: "planner" }).waitFor(soon);
    await page.locator("#agents td", { hasText: "planner" }).waitFor(soon);
    await call("<b>writer</b>".replaceAll(/[<>]/g, "_"));
    await page.locator("#topology td", { hasText: "_b_writer_/b_" }).waitFor(soon);
    await eventually(
      "two calls are counted",
      async () => (await textOf("[data-now-calls=today]")) === "2 calls",
    );
    // Live messages may be ahead of the read model.
    await eventually("the cost equals the web API's", async () => {
      const answer = await fetch(`${web}/api/dashboard?days=1`, { headers: headers() });
      const { cost } = (await answer.json()) as { cost: { total_cost_microcents: number } };
      const dollars = `$${(cost.total_cost_microcents / 10_000_000).toFixed(6)}`;
      return (await textOf("[data-now=today]")) === dollars;
    });
    await call("planner");
    await call("planner");
    await page.locator("#alerts td", { hasText: "budget" }).first().waitFor(soon);
    await eventually("four calls are shown", async () => (await page.locator("#events tr").count()) === 5);
    await page.unroute("**/api/**");
  });

  it("LIVE-007 sends no request while idle, reports a lost connection, and catches up by itself", async () => {
    await page.reload();
    await page.selectOption("#mode", "test");
    await page.locator("#live[data-state=live]").waitFor();
    await page.locator("#events td", { hasText: "planner" }).first().waitFor();
    const pid = tollgate.controlPid();
    if (pid === null) throw new Error("there is no control plane");
    // First the page's own requests about the last calls; then it must be quiet for longer than a polling interval.
    let before = -1;
    await eventually("it asks nothing for six seconds", async () => {
      before = asked.length;
      await Bun.sleep(6000);
      return asked.length === before;
    });
    process.kill(pid, "SIGKILL");
    await page.locator("#live[data-state=reconnecting]").waitFor(soon);
    expect(await textOf("#live")).toBe("reconnecting");
    await eventually("it is dead", () => !isAlive(pid));
    await call("meanwhile");
    await page.locator("#live[data-state=live]").waitFor(soon);
    await page.locator("#events td", { hasText: "meanwhile" }).waitFor(soon);
    await call("afterwards");
    await page.locator("#events td", { hasText: "afterwards" }).waitFor(soon);
  }, 300_000);

  it("LIVE-007 shows an agent's name as text, and only the selected traffic", async () => {
    const { agents } = (await (await fetch(`${web}/api/agents`, { headers: headers() })).json()) as {
      agents: { id: string; agent_key: string }[];
    };
    const name = "<img src=x onerror=document.title='run'>";
    const { id } = agents.find(agent => agent.agent_key === "planner") ?? { id: "" };
    await fetch(`${web}/api/agents/${id}`, {
      method: "PATCH",
      headers: headers(),
      body: JSON.stringify({ name }),
    });
    await page.locator("#agents td", { hasText: name }).waitFor(soon);
    await page.locator("#topology td", { hasText: name }).first().waitFor(soon);
    expect(await page.title()).toBe("Overview · Tollgate");
    await page.selectOption("#mode", "live");
    await page.locator("[data-now-calls=today]", { hasText: /^0 calls$/ }).waitFor(soon);
    await eventually("no call is shown", async () => (await page.locator("#events td").count()) === 0);
  });
});
