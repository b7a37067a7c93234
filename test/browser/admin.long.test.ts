import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { clientSnippets } from "@tollgate/core/clients/client-snippets";
import type { Browser, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { chat } from "../support/clients/call-endpoints.ts";
import { openPage } from "../support/clients/chromium.ts";
import { navigate, settled, views, wrongAtAnySize } from "../support/clients/dashboard-pages.ts";
import { type DashboardLab, PASSWORD, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { eventually } from "../support/waiting/eventually.ts";

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

let lab: DashboardLab;
let page: Page;
const received: Received[] = [];
const receiver = Bun.serve({
  port: 0,
  async fetch(request) {
    received.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
    return new Response("taken");
  },
});

beforeAll(async () => {
  lab = await startDashboardLab({ SVC_ALLOWED_PRIVATE_TARGETS: "127.0.0.1" });
  page = lab.page;
}, 600_000);
afterAll(async () => {
  await lab.stop();
  await receiver.stop(true);
});

const button = (name: string | RegExp, on = page) =>
  on.getByRole("button", { name, exact: typeof name === "string" });
const dialog = () => page.getByRole("dialog");
const shownSecret = async (name: string) => {
  const code = page.locator(`[data-secret=${name}] pre`);
  await code.waitFor(soon);
  return (await code.textContent()) ?? "";
};

const statusWith = async (key: string) => {
  const answer = await fetch(lab.gateway + chat.path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
    body: JSON.stringify(chat.body),
  });
  await answer.arrayBuffer();
  return answer.status;
};
const answers = (key: string, status: number) =>
  eventually(`a call with the key is answered ${status}`, async () => (await statusWith(key)) === status);

describe("the first run", () => {
  it("watches for the first call, a budget and a client, and opens in the mode that has traffic", async () => {
    const step = (name: string, isDone: boolean) =>
      page.locator(`[data-step=${name}][data-done=${isDone}]`).waitFor(soon);
    await page.goto(`${lab.web}/`);
    for (const name of ["call", "budget", "client", "demo"]) await step(name, false);
    expect(await statusWith(lab.testKey)).toBe(200);
    await step("call", true);
    await page.goto(`${lab.web}/`);
    await page.waitForURL(`${lab.web}/?mode=test`, soon);
    await step("client", false);
    await lab.send({ agent: "support-bot" });
    await step("client", true);
    await button("Live").click();
    await page.waitForURL(`${lab.web}/?mode=live`, soon);
    await button("Test").click();
    await lab.api("POST", "budgets", {
      period: "monthly",
      limit_microcents: 10_000_000,
      enforcement_mode: "alert_only",
    });
    await lab.send({ agent: "support-bot" });
    await page
      .locator("[data-step]")
      .first()
      .waitFor({ ...soon, state: "detached" });
  });

  it("DASH-001 every page opens in the mode that has traffic, unless its address names one", async () => {
    for (const path of ["/budgets", "/settings/prices"]) {
      await page.goto(`${lab.web}${path}`);
      await page.waitForURL(`${lab.web}${path}?mode=test`, soon);
    }
    await page.goto(`${lab.web}/calls?range=7d`);
    await page.locator("tr[data-row]").first().waitFor(soon);
    await button("Live").click();
    await page.getByText("No calls in this time range").waitFor(soon);
    await page.reload();
    await page.getByText("No calls in this time range").waitFor(soon);
    await settled(page);
    expect(new URL(page.url()).search).toBe("?range=7d&mode=live");
    await page.goBack();
    await page.locator("tr[data-row]").first().waitFor(soon);
  });

  it("adds sample data with one click, and removes it with another", async () => {
    await lab.open("/settings");
    await button("Add sample data").click();
    await page.locator("[data-demo=adding], [data-demo=ready]").waitFor(soon);
    const home = (await page.locator(".organization").first().textContent()) ?? "";
    const switchTo = async (isHome: boolean) => {
      const named = isHome ? { hasText: home } : { hasNotText: home };
      await page.locator("button.organization").click();
      await page.getByRole("menuitemradio").filter(named).click();
      await page.locator("button.organization").filter(named).waitFor(soon);
    };
    await switchTo(false);
    await page.waitForURL(/[?&]org=/, soon);
    const here = async () => {
      const answer = await page.request.get(`${lab.web}/api/account`);
      return ((await answer.json()) as { organization: { name: string } }).organization.name;
    };
    await eventually("the session is switched", async () => (await here()) !== home);
    await switchTo(true);
    await eventually("the session is switched back", async () => (await here()) === home);
    await lab.open("/settings");
    await button("Remove it").click();
    await page.locator("[data-demo=none]").waitFor(soon);
  });
});

describe("developers", () => {
  it("DASH-003 DASH-004 keys are created, rotated and revoked; the full key is shown once", async () => {
    await lab.open("/developers");
    await button("Create a key").click();
    await page.getByLabel("Name").fill("ci");
    let created = 0;
    page.on("request", request => {
      if (request.method() === "POST" && new URL(request.url()).pathname === "/api/keys") created++;
    });
    // A double click does not create a second key that nobody knows about.
    await button("Create").dblclick();
    const first = await shownSecret("key");
    expect(created).toBe(1);
    expect(first).toStartWith("sk_test_");
    await answers(first, 200);
    await button("I have stored it").click();
    await page.reload();
    // By the whole name: the random end of any other key may contain these two letters.
    const row = page.locator("tr[data-row]").filter({ has: page.getByText("ci", { exact: true }) });
    await row.filter({ hasText: first.slice(-4) }).waitFor(soon);
    expect(await page.content()).not.toContain(first);

    await button("Actions for ci").click();
    await page.getByRole("menuitem", { name: "Rotate…" }).click();
    await button("Create the new key").click();
    const second = await shownSecret("key");
    await answers(second, 200);
    expect(await statusWith(first)).toBe(200);
    await button("Revoke the old key").click();
    await answers(first, 401);

    const newRow = row.filter({ hasText: second.slice(-4) });
    await newRow.locator("td[data-column=calls]", { hasText: /^1$/ }).waitFor(soon);
    await newRow.getByRole("button", { name: "Actions for ci" }).click();
    await page.getByRole("menuitem", { name: "Revoke…" }).click();
    await button("Revoke").click();
    await answers(second, 401);
    await row.first().waitFor({ ...soon, state: "detached" });
    await page.getByLabel("Show revoked keys").check();
    await eventually(
      "both are listed as revoked",
      async () => (await row.filter({ hasText: "revoked" }).count()) === 2,
    );
  });

  it("snippets have the gateway's address, and calls are seen arriving", async () => {
    await lab.open("/developers/connect");
    for (const { id, title, text } of clientSnippets) {
      await button(title).click();
      const shown = page.locator(`[data-snippet=${id}] pre`);
      await shown.waitFor(soon);
      expect(await shown.textContent()).toBe(text(lab.gateway));
    }
    await page.getByText("Up to date").waitFor(soon);
    await lab.send({ agent: "arriving" });
    await page.locator("[data-arrival]", { hasText: "arriving" }).waitFor(soon);
  });

  it("the tool server is where the page says", async () => {
    await lab.open("/developers/tools");
    const command = page.locator("pre", { hasText: "claude mcp add" });
    await command.waitFor(soon);
    const [address = ""] = /http:\S+\/mcp/.exec((await command.textContent()) ?? "") ?? [];
    const answer = await fetch(address, {
      method: "POST",
      headers: { authorization: `Bearer ${lab.testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining("svc_get_budget_status"),
    ]);
  });

  it("DASH-004 webhooks are added, tested, replayed, rotated, disabled and deleted", async () => {
    await lab.open("/developers/webhooks");
    await button("Add a webhook").click();
    await page.getByLabel("Address").fill(`http://127.0.0.1:${receiver.port}/hook`);
    await button("Add").click();
    const secret = await shownSecret("secret");
    await button("I have stored it").click();
    await page.locator("tr[data-row]", { hasText: "/hook" }).click();
    await button("Send a test").click();
    await page.locator("[data-test-answer]", { hasText: "HTTP 200" }).waitFor(soon);
    const [test] = received;
    if (test === undefined) throw new Error("nothing was received");
    new Webhook(secret).verify(test.body, test.headers);

    await page.locator("[data-delivery]").first().click();
    await page.locator("[data-open-delivery]", { hasText: "1 attempt" }).waitFor(soon);
    await button("Replay").click();
    await eventually("it was sent again", async () => received.length === 2);
    expect(received[1]?.headers["webhook-id"]).toBe(test.headers["webhook-id"]);
    await page.locator("[data-open-delivery]", { hasText: "2 attempts" }).waitFor(soon);
    await button("Replay a time range").click();
    await page.getByLabel("Which deliveries").selectOption("delivered");
    await button("Send again").click();
    await eventually("it was sent a third time", async () => received.length === 3);

    await page.route("**/deliveries?**", route => route.fulfill({ status: 503, json: { error: "not now" } }));
    await page.getByLabel("Status", { exact: true }).selectOption("failed");
    await page
      .getByRole("alert")
      .filter({ hasText: "This could not be loaded: not now. Retrying…" })
      .waitFor(soon);
    await page.unroute("**/deliveries?**");
    await page.getByText("Nothing sent yet").waitFor(soon);

    await button("Rotate the secret").click();
    await button("Rotate").click();
    const rotated = await shownSecret("secret");
    await button("I have stored it").click();
    await button("Send a test").click();
    await eventually("a second test was sent", async () => received.length === 4);
    const latest = received[3];
    if (latest === undefined) throw new Error("nothing was received");
    for (const signer of [secret, rotated]) new Webhook(signer).verify(latest.body, latest.headers);

    await button("Disable").click();
    await page.locator("tr[data-row]", { hasText: "disabled" }).waitFor(soon);
    await button("Enable").click();
    await page.locator("tr[data-row]", { hasText: "enabled" }).waitFor(soon);
    await button("Delete").click();
    await dialog().getByRole("button", { name: "Delete", exact: true }).last().click();
    await page.getByText("No webhooks yet").waitFor(soon);
  });
});

describe("reports", () => {
  it("DASH-004 are made, read by link without signing in, and revoked", async () => {
    await lab.open("/report");
    await button("Create a report").click();
    await page.getByLabel("Title").fill("For the board");
    await button("Create the report").click();
    const link = page.getByRole("link", { name: "Open and print" });
    await link.waitFor(soon);
    const address = (await link.getAttribute("href")) ?? "";
    const read = await fetch(address);
    expect([read.status, await read.text()]).toEqual([200, expect.stringContaining("For the board")]);
    await button("Done").click();
    await button("Revoke For the board").click();
    await button("Revoke").click();
    await page.locator("tr[data-row]", { hasText: "revoked" }).waitFor(soon);
    expect((await fetch(address)).status).toBe(404);
  });
});

/** Buttons whose operations a viewer would be refused, on every page of this file. */
const refused =
  /^(Create a key|Actions for .*|Add a webhook|Send a test|Change|Rotate.*|Disable|Delete|Replay.*|Create a report|Revoke.*|Invite|Remove.*|Save|Add sample data)$/;

/** With the mode that it opens in, or still without. */
const isOverview = ({ pathname }: URL) => pathname === "/";

async function enter(browser: Browser, address: string): Promise<Page> {
  const entered = await openPage(browser);
  await entered.goto(address);
  return entered;
}

describe("settings", () => {
  it("DASH-004 the organization is renamed, and the name is everywhere at once", async () => {
    await lab.open("/settings");
    await page.getByLabel("Name").fill("Acme <b>");
    await button("Save").click();
    await page.locator(".organization", { hasText: "Acme <b>" }).waitFor(soon);
  });

  it("shows the tier with the use of each limit, at the address that refusals name", async () => {
    await lab.open("/settings/plan");
    await page.locator("[data-limit=Budgets]", { hasText: "1 of 100" }).waitFor(soon);
    await page.locator("tr[data-row]", { hasText: "yours" }).waitFor(soon);
  });

  it("DASH-004 a viewer sees no button that would be refused; a new role takes effect on the open page", async () => {
    await lab.open("/settings/members");
    await button("Invite").click();
    await page.getByLabel("E-mail address").fill("vera@example.org");
    await button("Create the invitation").click();
    const link = dialog().locator("pre");
    await link.waitFor(soon);
    const viewer = await enter(lab.browser, (await link.textContent()) ?? "");
    await button("Done").click();
    await viewer.fill("input[name=password]", "another quite long phrase");
    await viewer.click("button");
    await viewer.waitForURL(isOverview, soon);
    for (const path of [
      "/",
      "/developers",
      "/developers/webhooks",
      "/report",
      "/settings",
      "/settings/members",
    ]) {
      await navigate(viewer, new URL(`${path}?mode=test`, lab.web));
      await settled(viewer);
      const names = await viewer.getByRole("button").allTextContents();
      expect([path, names.filter(name => refused.test(name.trim()))]).toEqual([path, []]);
    }

    await navigate(viewer, new URL("/alerts/settings?mode=test", lab.web));
    await viewer
      .getByLabel("E-mail", { exact: true })
      .first()
      .and(viewer.getByPlaceholder("not set"))
      .waitFor(soon);

    await navigate(viewer, new URL("/settings/audit?mode=test", lab.web));
    await viewer.getByRole("alert").filter({ hasText: "This could not be loaded" }).waitFor(soon);
    expect(await viewer.locator(".tab").count()).toBe(5);
    expect(await viewer.locator(".tab[aria-current=page]").count()).toBe(0);

    await navigate(viewer, new URL("/developers?mode=test", lab.web));
    await settled(viewer);
    const giveRole = async (role: string) => {
      await page.getByLabel("Role of vera@example.org").selectOption(role);
      await eventually(`she is ${role}`, async () => {
        const answer = await page.request.get(`${lab.web}/api/members`);
        const { members } = (await answer.json()) as { members: { email: string; role: string }[] };
        return members.some(one => one.email === "vera@example.org" && one.role === role);
      });
      // The page looks every ten seconds, and after a call.
      await lab.send();
    };
    await giveRole("admin");
    await button("Create a key", viewer).waitFor(soon);
    await giveRole("viewer");
    await button("Create a key", viewer).waitFor({ ...soon, state: "detached" });
    await button("Sign out vera@example.org").click();
    await dialog().getByRole("button", { name: "Sign out" }).click();
    await viewer.waitForURL(`${lab.web}/sign-in*`, soon);
    await button("Remove vera@example.org").click();
    await button("Remove").click();
    await button("Remove vera@example.org").waitFor({ ...soon, state: "detached" });
    await viewer.context().close();
  });

  it("the audit log says who changed what, and has no secret", async () => {
    await lab.open("/settings/audit");
    await page.getByLabel("What").fill("keys.create");
    await button("Filter").click();
    await page.locator("tr[data-row]", { hasText: "keys.create" }).first().click();
    await dialog().getByText("admin@localhost.localdomain").first().waitFor(soon);
    expect(await dialog().textContent()).not.toMatch(/sk_test_|[0-9a-f]{64}/);
  });

  it("DASH-007 every tab is accessible in both themes and on a phone, and not wider than it", async () => {
    const tabs = ["connect", "webhooks", "tools"].map(tab => `/developers/${tab}`);
    const others = ["", "/members", "/plan", "/sign-in", "/audit"].map(tab => `/settings${tab}`);
    for (const path of ["/developers", ...tabs, "/report", ...others]) {
      await lab.open(path);
      expect([path, await wrongAtAnySize(page, views)]).toEqual([path, []]);
    }
  });

  it("DASH-004 other sessions of the account are ended", async () => {
    const other = await enter(lab.browser, `${lab.web}/sign-in`);
    await other.fill("input[name=email]", "admin@localhost.localdomain");
    await other.fill("input[name=password]", PASSWORD);
    await other.click("button");
    await other.waitForURL(isOverview, soon);
    await other.locator("main").waitFor();
    await lab.open("/settings/sign-in");
    await button("Sign out everywhere else").click();
    // Its notice is shown for six seconds only; the button goes once no other session is left.
    await button("Sign out everywhere else").waitFor({ ...soon, state: "detached" });
    await other.waitForURL(`${lab.web}/sign-in`, soon);
    await other.context().close();
    expect(lab.complaints).toEqual([]);
  });
});
