import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type DashboardLab, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { isAlive } from "../support/processes/tollgate-process.ts";
import { eventually } from "../support/waiting/eventually.ts";

let lab: DashboardLab;
/** Requests that the page made to the web API. */
const asked: string[] = [];

beforeAll(async () => {
  lab = await startDashboardLab();
  lab.page.on("request", request => {
    if (request.url().startsWith(`${lab.web}/api/`)) asked.push(request.url());
  });
}, 600_000);
afterAll(async () => {
  await lab.stop();
});

const isLive = () => lab.page.locator(".connection[data-state=live]").waitFor(soon);
const row = (agent: string) => lab.page.locator("tr[data-row]", { hasText: agent });
const textOf = async (selector: string) => (await lab.page.locator(selector).first().textContent()) ?? "";

describe("the open dashboard", () => {
  it("LIVE-007 DASH-002 shows a new call, new totals, a new agent and a new alert without a reload, using only the live channel", async () => {
    const { page } = lab;
    await lab.open("/");
    await isLive();
    await page.locator("[data-stat=today-calls]").waitFor(soon);
    await lab.api("POST", "budgets", {
      period: "daily",
      limit_microcents: 300,
      enforcement_mode: "alert_only",
    });
    // From here on the web API does not answer the page: everything it shows came over the live channel.
    await page.route("**/api/**", route => route.abort());
    await lab.send({ agent: "planner", session: "s" });
    await row("planner").first().waitFor(soon);
    await lab.send({ agent: "writer", session: "s" });
    await eventually(
      "two calls are counted",
      async () => (await textOf("[data-stat=today-calls]")) === "2 calls",
    );
    // Live messages may be ahead of the read model.
    await eventually("the cost equals the web API's", async () => {
      const { cost } = await lab.api<{ cost: { total_cost_microcents: number } }>("GET", "dashboard?days=1");
      const shown = page.locator("[data-stat=today] [data-microcents]");
      return (await shown.getAttribute("data-microcents")) === String(cost.total_cost_microcents);
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("writer");
    await page.getByRole("option", { name: "writer" }).waitFor(soon);
    await page.keyboard.press("Escape");
    await lab.send({ agent: "planner" });
    await lab.send({ agent: "planner" });
    await page.locator("[data-attention=alert]", { hasText: "budget" }).first().waitFor(soon);
    await eventually("four calls are shown", async () => (await page.locator("tr[data-row]").count()) === 4);
    await page.locator(".connection", { hasText: /^As of \d\d:\d\d, retrying…$/ }).waitFor(soon);
    await page.unroute("**/api/**");
    await isLive();
  });

  it("LIVE-007 DASH-002 sends no request while idle, reports a lost connection, and catches up by itself", async () => {
    const { page, tollgate } = lab;
    await lab.open("/calls");
    await isLive();
    await row("planner").first().waitFor(soon);
    const pid = tollgate.controlPid();
    if (pid === null) throw new Error("there is no control plane");
    // First the page's own requests about the last calls; then it must be quiet for longer than a polling interval.
    let before = -1;
    await eventually("it asks nothing for six seconds", async () => {
      before = asked.length;
      await Bun.sleep(6000);
      return asked.length === before;
    });
    // The supervisor must not start another one before this test has seen that it is gone.
    process.kill(tollgate.pid, "SIGSTOP");
    try {
      process.kill(pid, "SIGKILL");
      await page.locator(".connection[data-state=reconnecting]", { hasText: "retrying" }).waitFor(soon);
      await lab.send({ agent: "meanwhile" });
    } finally {
      process.kill(tollgate.pid, "SIGCONT");
    }
    await eventually("it is dead", () => !isAlive(pid));
    await isLive();
    await row("meanwhile").waitFor(soon);
    await lab.send({ agent: "afterwards" });
    await row("afterwards").waitFor(soon);
  }, 600_000);

  it("LIVE-007 shows only the selected traffic", async () => {
    const { page } = lab;
    await page.getByRole("button", { name: "Live", exact: true }).click();
    await page.getByText("No calls in this time range").waitFor(soon);
    expect(await page.locator("tr[data-row]").count()).toBe(0);
    expect(lab.complaints).toEqual([]);
  });
});
