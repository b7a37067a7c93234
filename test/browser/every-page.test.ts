import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { DESKTOP } from "../support/clients/chromium.ts";
import { pagePaths, partPaths, settled } from "../support/clients/dashboard-pages.ts";
import { type DashboardLab, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { eventually } from "../support/waiting/eventually.ts";

const hostile = `<img src=x onerror=document.title='run'>wri\u202eter`;
const TABLET = { width: 768, height: 1024 };
let lab: DashboardLab;

beforeAll(async () => {
  lab = await startDashboardLab();
  await lab.send({ agent: "planner", session: "<b>s</b>", customer: "<b>c</b>" });
  const agents = async () => (await lab.api<{ agents: { id: string }[] }>("GET", "agents")).agents;
  await eventually("the agent is listed", async () => (await agents()).length === 1);
  for (const { id } of await agents()) await lab.api("PATCH", `agents/${id}`, { name: hostile });
}, 600_000);
afterAll(async () => {
  await lab.stop();
});

describe("every page of the dashboard", () => {
  it("DASH-001 DASH-007 is reachable by its link, and by its address, and shows its tables whole", async () => {
    const { page } = lab;
    const cut = () =>
      page
        .locator(".table-scroller")
        .evaluateAll(tables =>
          tables.filter(one => one.scrollWidth > one.clientWidth).map(one => one.ariaLabel),
        );
    const invisibleStops = page.locator("table[data-empty] button");
    let emptyTables = 0;
    await lab.open("/");
    for (const path of await pagePaths(page)) {
      if (!partPaths.includes(path)) {
        await page.locator(`.navigation-pages a[href^="${path}?"]`).first().click();
        await page.waitForURL(`${lab.web}${path}?mode=test*`, soon);
        await settled(page);
        expect(await page.title()).toEndWith("· Tollgate");
      }
      await lab.load(path);
      await settled(page);
      expect([path, await page.getByText("Page not found").count()]).toEqual([path, 0]);
      expect([path, await cut()]).toEqual([path, []]);
      await page.setViewportSize(TABLET);
      expect([path, await cut()]).toEqual([path, []]);
      await page.setViewportSize(DESKTOP);
      expect([path, await invisibleStops.count()]).toEqual([path, 0]);
      emptyTables += await page.locator("table[data-empty]").count();
      expect(await page.title()).toEndWith("· Tollgate");
    }
    expect(emptyTables).toBeGreaterThan(0);
  });

  it("DASH-007 opens its dialogs at their first field, and returns the focus to what opened them", async () => {
    const { page } = lab;
    for (const [path, button, field] of [
      ["/budgets", "New budget", "For"],
      ["/developers", "Create a key", "Name"],
      ["/developers/webhooks", "Add a webhook", "Address"],
      ["/settings/members", "Invite", "E-mail address"],
      ["/report", "Create a report", "Title"],
    ] as const) {
      await lab.open(path);
      const opener = page.getByRole("button", { name: button, exact: true });
      await opener.press("Enter");
      await page.getByLabel(field, { exact: true }).and(page.locator(":focus")).waitFor(soon);
      await page.keyboard.press("Escape");
      await opener.and(page.locator(":focus")).waitFor(soon);
    }
  });

  it("DASH-007 leads to the field that is wrong, or to the reason why the server refused", async () => {
    const { page } = lab;
    const focused = page.locator(":focus");
    await lab.open("/budgets");
    await lab.press("New budget");
    await page.getByRole("button", { name: "Create the budget" }).press("Enter");
    await page.getByLabel("Limit ($)").and(focused).waitFor(soon);
    await page.getByLabel("For", { exact: true }).selectOption("agent");
    await page.getByRole("button", { name: "Create the budget" }).press("Enter");
    await page.getByLabel("Agent", { exact: true }).and(focused).waitFor(soon);
    await page.keyboard.press("Escape");

    await lab.open("/developers/webhooks");
    await lab.press("Add a webhook");
    const address = page.getByLabel("Address");
    for (const refused of ["http://127.0.0.1/", "http://10.0.0.1/"]) {
      await address.fill(refused);
      await address.press("Enter");
      const reason = page.getByRole("dialog").getByRole("alert");
      await reason.filter({ hasText: "private addresses are blocked" }).and(focused).waitFor(soon);
    }
    expect(await page.locator(".notice").count()).toBe(0);
    await page.keyboard.press("Escape");
  });

  it("says that it is loading, until it has its scripts and knows who is signed in", async () => {
    const { page } = lab;
    for (const slow of ["**/dashboard/main-*.js", "**/api/account*"]) {
      const release = Promise.withResolvers<void>();
      await page.route(slow, async route => {
        await release.promise;
        await route.continue();
      });
      const asked = page.waitForRequest(slow);
      const loaded = lab.load("/");
      await asked;
      await page.getByRole("status").and(page.getByText("Loading…")).waitFor(soon);
      expect(await page.locator("main").count()).toBe(0);
      release.resolve();
      await loaded;
      expect(await page.locator(".opening").count()).toBe(0);
      await page.unroute(slow);
    }
  });

  it("DASH-005 shows placeholders in a list that is still loading", async () => {
    const { page } = lab;
    for (const [path, slow] of [
      ["/calls", "**/api/events?*"],
      ["/agents", "**/api/agents?*"],
      ["/sessions", "**/api/sessions?*"],
      ["/alerts", "**/api/alerts?*"],
    ] as const) {
      const release = Promise.withResolvers<void>();
      await page.route(slow, async route => {
        await release.promise;
        await route.continue();
      });
      await lab.load(path);
      await page.locator("td .skeleton").first().waitFor(soon);
      const [placeholder, list] = await page.evaluate<[number, number]>(
        `[...document.querySelectorAll("td .skeleton")].slice(-1).concat(document.querySelector(".table-scroller"))
          .map(box => box.getBoundingClientRect().bottom)`,
      );
      expect([path, placeholder < list]).toEqual([path, true]);
      release.resolve();
      await settled(page);
      await page.unroute(slow);
    }
  });

  it("DASH-008 shows hostile names as text, breaks no policy, and asks no other host", async () => {
    expect(await lab.page.title()).not.toBe("run");
    expect(lab.complaints).toEqual([]);
  });
});
