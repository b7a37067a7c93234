import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { DESKTOP } from "../support/clients/chromium.ts";
import { settled, wrongAtAnySize } from "../support/clients/dashboard-pages.ts";
import { holdFirst } from "../support/clients/hold-first.ts";
import { type DashboardLab, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { eventually } from "../support/waiting/eventually.ts";

const hostile = `<img src=x onerror="document.title='run'">\u202e${"m".repeat(90)}`;
let lab: DashboardLab;
let planner: string;

interface Agent {
  readonly id: string;
  readonly name: string;
  readonly agent_key: string;
  readonly status: string;
  readonly paused: boolean;
}

const agents = async () => (await lab.api<{ agents: Agent[] }>("GET", "agents")).agents;
const agentOf = async (key: string) => (await agents()).find(({ agent_key }) => agent_key === key);
const text = (locator: string) => lab.page.locator(locator).first().innerText(soon);
const microcentsOf = (locator: string) =>
  lab.page
    .locator(locator)
    .evaluateAll(found => found.map(one => Number(one.getAttribute("data-microcents"))));
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

beforeAll(async () => {
  lab = await startDashboardLab();
  // Two hand-overs: planner to writer, and back.
  for (const agent of ["planner", "writer", "planner"]) {
    await lab.send({ agent, session: "trip/1 & more", customer: "acme" });
  }
  await lab.send({ agent: "router", model: "gpt-nobody-knows" });
  await eventually("all agents are listed", async () => (await agents()).length === 3);
  planner = (await agentOf("planner"))?.id ?? "";
  await lab.api("POST", "outcomes", {
    name: "sale",
    session_id: "trip/1 & more",
    outcome_type: "revenue",
    value_cents: 500,
  });
}, 600_000);
afterAll(async () => {
  await lab.stop();
});

/** An agent that uses a large model for short answers; its id. */
async function reportShortAnswers(agent: string): Promise<string> {
  const events = Array.from({ length: 200 }, (_, hours) => ({
    model: "gpt-4o",
    input_tokens: 400,
    output_tokens: 40,
    agent_key: agent,
    timestamp: Date.now() - hours * 3_600_000,
  }));
  const reported = await fetch(`${lab.gateway}/v1/events`, {
    method: "POST",
    headers: { authorization: `Bearer ${lab.testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ events }),
  });
  expect(await reported.json()).toMatchObject({ accepted: 200 });
  await eventually("the agent is listed", async () => (await agentOf(agent)) !== undefined);
  return (await agentOf(agent))?.id ?? "";
}

describe("agents in the dashboard", () => {
  it("DASH-001 DASH-005 are listed with what they did; search and status are in the URL", async () => {
    const { page } = lab;
    await lab.open("/agents");
    const rows = page.locator("tr[data-row]");
    await eventually("three rows are shown", async () => (await rows.count()) === 3);
    await settled(page);
    const router = rows.filter({ hasText: "router" });
    const spend = router.locator("td[data-column=spend]", { hasText: /^1 unpriced$/ });
    // The list may have the agent before its call is counted.
    await spend.waitFor(soon);
    await page.getByLabel("Search agents").fill("plan");
    await page.waitForURL(/[?&]q=plan/);
    await eventually("one row is left", async () => (await rows.count()) === 1);
    await page.keyboard.press("Tab");
    await lab.open("/agents?state=archived");
    await page.getByText("No matching agents").waitFor(soon);
  });

  it("DASH-005 are not taken for all while more of them are loading", async () => {
    const { page } = lab;
    const release = Promise.withResolvers<void>();
    // Pages of one agent instead of hundreds.
    await page.route("**/api/agents?*", async route => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", "1");
      if (url.searchParams.has("cursor")) await release.promise;
      await route.continue({ url: url.href });
    });
    await lab.load("/agents");
    await page.getByText("1 of 3 agents loaded so far").waitFor(soon);
    const csv = page.getByRole("button", { name: "CSV" });
    expect(await csv.isDisabled()).toBe(true);
    await page.getByLabel("Search agents").fill("nobody");
    await page.getByText("None of those loaded so far").waitFor(soon);
    await page.getByLabel("Search agents").fill("");
    release.resolve();
    await page.getByText(/^3 agents/).waitFor(soon);
    expect(await csv.isDisabled()).toBe(false);
    await page.unroute("**/api/agents?*");
  });

  it("DASH-002 show another status without a reload", async () => {
    const { page } = lab;
    await lab.open("/agents");
    const row = page.locator("tr[data-row]", { hasText: "writer" });
    await row.locator(".tag", { hasText: "active" }).waitFor(soon);
    const path = `agents/${(await agentOf("writer"))?.id}`;
    await lab.api("POST", `${path}/pause`);
    await row.locator(".tag", { hasText: "paused" }).waitFor(soon);
    await lab.api("POST", `${path}/resume`);
    await row.locator(".tag", { hasText: "paused" }).waitFor({ ...soon, state: "detached" });
    // Archived ones are listed apart.
    await lab.api("PATCH", path, { archived: true });
    await row.waitFor({ ...soon, state: "detached" });
    await lab.api("PATCH", path, { archived: false });
    await row.locator(".tag", { hasText: "active" }).waitFor(soon);
  });

  it("DASH-002 DASH-005 show calls as they happen, and models that add up to the spend", async () => {
    const { page } = lab;
    await lab.load(`/agents/${planner}`);
    await settled(page);
    expect(await text("[data-stat=calls]")).toBe("2");
    await lab.send({ agent: "planner", session: "later" });
    await eventually("the third call is counted", async () => (await text("[data-stat=calls]")) === "3");
    await eventually("the models add up", async () => {
      const [spend] = await microcentsOf("[data-stat=spend] [data-microcents]");
      return spend === sumOf(await microcentsOf("td[data-column=spend] [data-microcents]"));
    });
  });

  it("DASH-004 DASH-008 are renamed, paused, resumed and archived, and hostile names stay text", async () => {
    const { page } = lab;
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Name", { exact: true }).fill(hostile);
    await page.keyboard.press("Enter");
    await page.locator(".subject-head h2", { hasText: "<img src=x" }).waitFor(soon);
    expect((await agentOf("planner"))?.name).toBe(hostile);

    await page.getByRole("button", { name: "Pause", exact: true }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor(soon);
    expect((await agentOf("planner"))?.paused).toBe(true);
    await eventually("the gateway refuses its calls", async () => {
      const refused = await lab.send({ agent: "planner" }).then(
        () => false,
        () => true,
      );
      return refused;
    });
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor({ ...soon, state: "detached" });
    expect((await agentOf("planner"))?.paused).toBe(false);

    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
    await page.locator(".subject-head .tag", { hasText: "archived" }).waitFor(soon);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Restore from the archive" }).click();
    await page.locator(".subject-head .tag", { hasText: "active" }).waitFor(soon);
  });

  it("DASH-004 get a budget and an experiment", async () => {
    const { page } = lab;
    await page.getByRole("button", { name: "New budget" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Limit ($)").fill("12.50");
    await form.getByRole("button", { name: "Create the budget" }).click();
    const budget = page.locator("[data-budget]", { hasText: "$12.50" });
    await budget.waitFor(soon);
    // The dialog shows the budget that it changes; what is not touched stays.
    await budget.getByRole("button", { name: "Change" }).click();
    expect(await form.getByLabel("When the limit is reached").inputValue()).toBe("alert_only");
    await form.getByLabel("Limit ($)").fill("13.50");
    await form.getByRole("button", { name: "Save" }).click();
    await page.locator("[data-budget]", { hasText: "$13.50" }).waitFor(soon);
    const { budgets } = await lab.api<{ budgets: object[] }>("GET", "budgets");
    expect(budgets).toMatchObject([
      {
        limit_microcents: 135_000_000,
        agent_id: planner,
        period: "monthly",
        enforcement_mode: "alert_only",
      },
    ]);

    await page.getByRole("button", { name: "Start an experiment" }).click();
    await page.getByLabel("Model to try").fill("gpt-4.1-nano");
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    const row = page.locator("[data-experiment]", { hasText: "Try gpt-4.1-nano" });
    await row.locator(".tag", { hasText: "running" }).waitFor(soon);
    await row.getByRole("button", { name: "Pause" }).click();
    await row.locator(".tag", { hasText: "paused" }).waitFor(soon);
    await row.getByRole("button", { name: "Stop" }).click();
    // Its end is asked about, as under Savings.
    await page.getByRole("dialog").getByText("the results are kept").waitFor(soon);
    await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
    await row.locator(".tag", { hasText: "cancelled" }).waitFor(soon);
    await page.locator(".agent-changes li", { hasText: "was stopped" }).waitFor(soon);
  });

  it("DASH-004 have a suggestion applied and undone", async () => {
    const { page } = lab;
    const saver = await reportShortAnswers("saver");
    const { id: experiment } = await lab.api<{ id: string }>("POST", "experiments", {
      agent_id: saver,
      name: "Try another",
      treatment_model: "gpt-4.1-nano",
    });
    await lab.open(`/agents/${saver}`);
    const suggestion = page.locator("[data-suggestion=model_switch]");
    await suggestion.getByRole("link", { name: "In an experiment" }).waitFor(soon);
    expect(await suggestion.getByRole("button", { name: "Apply" }).count()).toBe(0);
    await lab.api("POST", `experiments/${experiment}/stop`);
    // The first list, from before the change, arrives after it.
    const list = await holdFirst(page, `/api/agents/${saver}/optimizations`);
    await page.reload();
    await list.isHeld;
    await suggestion.getByRole("button", { name: "Apply" }).click();
    const applied = page.locator("[data-optimization]", { hasText: "in force" });
    await applied.waitFor(soon);
    await list.release();
    await applied.getByRole("button", { name: "Undo" }).click();
    await page.locator(".agent-changes li", { hasText: "undone" }).waitFor(soon);
    await applied.waitFor({ ...soon, state: "detached" });
  });

  it("DASH-004 have a leak's model switch applied, but not during an experiment", async () => {
    const { page } = lab;
    const leaking = await reportShortAnswers("leaking");
    const { id: experiment } = await lab.api<{ id: string }>("POST", "experiments", {
      agent_id: leaking,
      name: "Try another",
      treatment_model: "gpt-4.1-nano",
    });
    // The page does not scan again by itself, and the scan follows the calls a little later.
    await eventually("the leak is found", async () => {
      const scan = `cost-leak-scan?agent_id=${leaking}`;
      const { findings } = await lab.api<{ findings: { check: string; auto_fixable: boolean }[] }>(
        "GET",
        scan,
      );
      return findings.some(one => one.check === "model_overprovisioning" && one.auto_fixable);
    });
    await lab.open("/savings/leaks");
    const leak = page.locator("[data-leak=model_overprovisioning]", { hasText: "leaking" });
    await leak.getByRole("link", { name: "In an experiment" }).waitFor(soon);
    expect(await leak.getByRole("button", { name: "Apply" }).count()).toBe(0);
    await lab.api("POST", `experiments/${experiment}/stop`);
    await page.reload();
    await leak.getByRole("button", { name: "Apply" }).click(soon);
    await eventually("the switch is in force", async () => {
      const { optimizations } = await lab.api<{ optimizations: { undone_at: string | null }[] }>(
        "GET",
        `agents/${leaking}/optimizations`,
      );
      return optimizations.some(({ undone_at }) => undone_at === null);
    });
  });
});

describe("customers, sessions, models and topology", () => {
  it("DASH-005 a session shows its hand-overs, and calls that add up to its cost", async () => {
    const { page } = lab;
    await lab.open("/sessions?customer=nobody");
    await page.getByText("No sessions in this time range").waitFor(soon);
    await lab.open("/sessions?customer=acme");
    await eventually("only its session is listed", async () => {
      const rows = await page.locator("tr[data-row]").allInnerTexts();
      return rows.length === 1 && rows[0]?.includes("trip/1 & more") === true;
    });
    await lab.open("/sessions");
    await page.locator("tr[data-row]", { hasText: "trip/1 & more" }).click();
    await page.waitForURL("**/sessions/trip%2F1%20%26%20more?mode=test");
    // The address changes before the page does.
    await page.locator(".subject-head").waitFor(soon);
    await settled(page);
    expect(await text("[data-stat=calls]")).toBe("3");
    expect(await text("[data-stat=value]")).toBe("$5.00");
    expect(await page.locator(".session-hand-over").count()).toBe(2);
    const [cost] = await microcentsOf("[data-stat=cost] [data-microcents]");
    expect(cost).toBe(sumOf(await microcentsOf("td[data-column=cost] [data-microcents]")));
    const [margin] = await microcentsOf("[data-stat=margin] [data-microcents]");
    expect(margin).toBe(50_000_000 - (cost ?? 0));
    await page.locator(".session-call").first().click();
    await page.waitForURL("**/calls/*");
  });

  it("DASH-005 a customer shows its cost against the value of its sessions", async () => {
    const { page } = lab;
    await lab.open("/customers");
    await page.locator("tr[data-row]", { hasText: "acme" }).click();
    await page.waitForURL("**/customers/acme?mode=test");
    // The address changes before the page does.
    await page.locator(".subject-head").waitFor(soon);
    await settled(page);
    expect(await text("[data-stat=calls]")).toBe("3");
    expect(await text("[data-stat=value]")).toBe("$5.00");
    const [spend] = await microcentsOf("[data-stat=spend] [data-microcents]");
    expect(spend).toBe(sumOf(await microcentsOf("td[data-column=cost] [data-microcents]")));
    await page.locator("tr[data-row]", { hasText: "trip/1" }).click();
    await page.waitForURL("**/sessions/**");
  });

  it("DASH-005 models without a price come first, and have no price; a model says where its price comes from", async () => {
    const { page } = lab;
    await lab.load("/models");
    await settled(page);
    const first = page.locator("tr[data-row]").first();
    expect(await first.innerText()).toContain("gpt-nobody-knows");
    expect(await first.locator("td[data-column=input]").innerText()).toBe("–");
    await page.locator("tr[data-row]").nth(1).click();
    const panel = page.locator(".side-panel");
    await panel.getByText("genai-prices@").waitFor(soon);
    await page.keyboard.press("Escape");
    await page.waitForURL("**/models?mode=test");
    await first.click();
    await panel.getByRole("button", { name: "Set a price" }).click();
    await page.getByLabel("Input ($)").fill("2.50");
    await page.getByLabel("Output ($)").fill("10");
    await page.keyboard.press("Enter");
    await panel.locator("[data-price]", { hasText: "$2.50 in, $10.00 out" }).waitFor(soon);
    await panel.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove the price" }).click();
    await panel.getByText("None set.").waitFor(soon);
    await page.keyboard.press("Escape");
    await page.waitForURL("**/models?mode=test");
    await page.getByLabel("Class of models").selectOption("efficient");
    await page.locator("td[data-column=tier]", { hasText: "efficient" }).first().waitFor(soon);
  });

  it("DASH-004 DASH-006 DASH-007 a call of unknown price gets one from its panel, and its cost by a rerating", async () => {
    const { page } = lab;
    const found = await lab.api<{ events: { id: string }[] }>("GET", "events?model=gpt-nobody-knows");
    const id = found.events[0]?.id ?? "";
    await lab.open(`/calls/${id}`);
    const panel = page.locator(".side-panel");
    await panel.getByRole("button", { name: "Set a price for this model" }).click(soon);
    const form = page.getByRole("dialog", { name: "Set a price" });
    expect(await form.getByLabel("Provider").inputValue()).toBe("openai");
    expect(await form.innerText()).toContain("gpt-nobody-knows");
    await form.getByLabel("Input ($)").fill("2.50");
    await form.getByLabel("Output ($)").fill("10");
    await page.keyboard.press("Enter");
    await form.waitFor({ ...soon, state: "detached" });
    await panel.getByRole("link", { name: "Rerate its calls" }).click();
    await page.waitForURL("**/settings/prices?*model=gpt-nobody-knows*");
    await page.getByLabel("Apply custom prices to the whole range").check();
    await page.getByRole("button", { name: "Preview" }).click();
    const row = page.locator("tr[data-row]", { hasText: "1 unpriced" });
    await row.waitFor(soon);
    const [difference] = await microcentsOf("[data-rerating] .figure[data-microcents]:last-child");
    expect(difference).toBeGreaterThan(0);
    await settled(page);
    expect(await wrongAtAnySize(page)).toEqual([]);
    await page.getByRole("button", { name: "Book the difference" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Book it" }).click();
    await row.waitFor({ ...soon, state: "detached" });
    await page.locator("[data-rerating='0']").waitFor(soon);
    await eventually("the call has its cost", async () => {
      const call = await lab.api<Record<string, unknown>>("GET", `events/${id}`);
      return call.is_unpriced === false && call.adjustment_microcents === difference;
    });
    await lab.load(`/calls/${id}`);
    await eventually("the receipt has the difference", async () => {
      const [total] = await microcentsOf("[data-receipt=total] [data-microcents]");
      return total === difference;
    });
    expect(await panel.getByRole("button", { name: "Set a price for this model" }).count()).toBe(0);
  });

  it("DASH-002 the topology draws hand-overs as they happen, and leads to the agent", async () => {
    const { page } = lab;
    await lab.open("/topology");
    const edges = page.locator(".topology-edge");
    await eventually("both hand-overs are drawn", async () => (await edges.count()) === 2);
    await lab.send({ agent: "writer", session: "another" });
    await lab.send({ agent: "router", session: "another" });
    await eventually("the new hand-over is drawn", async () => (await edges.count()) === 3);
    await page.locator(".topology-node", { hasText: "router" }).click();
    await page.getByRole("button", { name: "Open the agent" }).click();
    await page.waitForURL("**/agents/*");
    await page.locator(".subject-head h2", { hasText: "router" }).waitFor(soon);
  });

  it("DASH-007 the topology shows the ends of long names, and has them in full on hover, for screen readers and once chosen", async () => {
    const { page } = lab;
    const begin = `support-platform-${"europe-".repeat(20)}`;
    for (const end of ["german", "french"]) await lab.send({ agent: begin + end, session: "long names" });
    await lab.open("/topology");
    // The amount before the calls: a narrow box cuts the end.
    const german = page.getByRole("button", { name: new RegExp(`^${begin}german \\$[\\d.]+, 1 call$`) });
    await german.waitFor(soon);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      const name = german.locator(".middle-cut-name");
      expect(await name.getAttribute("title")).toBe(`${begin}german`);
      const shown = await name.locator("> :last-child").boundingBox();
      const box = await german.boundingBox();
      if (shown === null || box === null) throw new Error("the name is not shown");
      expect(shown.width).toBeGreaterThan(0);
      expect(shown.x + shown.width).toBeLessThanOrEqual(box.x + box.width);
    }
    await page.setViewportSize(DESKTOP);
    await german.focus();
    await page.keyboard.press("Enter");
    await page
      .getByRole("status")
      .filter({ hasText: new RegExp(`${begin}german: \\$[\\d.]+, 1 call`) })
      .waitFor(soon);
  });

  it("DASH-007 the topology shows a long chain of agents as a whole, whatever the width", async () => {
    const { page } = lab;
    for (let step = 1; step <= 12; step++) await lab.send({ agent: `step-${step}`, session: "chain" });
    await lab.open("/topology");
    for (const width of [1280, 900, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.locator(".topology .topology-node", { hasText: "step-12" }).waitFor(soon);
      await settled(page);
      const hidden = await page
        .locator(".topology")
        .evaluate(picture => [
          picture.scrollWidth - picture.clientWidth,
          picture.scrollHeight - picture.clientHeight,
        ]);
      expect([width, ...hidden]).toEqual([width, 0, 0]);
    }
    await page.setViewportSize(DESKTOP);
  });

  it("DASH-008 hostile names run nothing, and no policy is broken", async () => {
    expect(await lab.page.title()).not.toBe("run");
    expect(lab.complaints).toEqual([]);
  });
});
