import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { openPage } from "../support/clients/chromium.ts";
import { navigate, settled } from "../support/clients/dashboard-pages.ts";
import { type DashboardLab, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { startReceiver } from "../support/servers/start-receiver.ts";
import { eventually } from "../support/waiting/eventually.ts";

/** Budgets, alerts and savings: what people do there, end to end. */

const CALLS = 40;
const receiver = startReceiver(() => new Response("thanks"));
let lab: DashboardLab;

interface Budget {
  readonly id: string;
  readonly limit_microcents: number;
  readonly status: string;
  readonly customer_id?: string;
  readonly current_spending_microcents: number;
}
const budgets = async () => (await lab.api<{ budgets: Budget[] }>("GET", "budgets")).budgets;
const isShown = (text: string | RegExp) => lab.page.getByText(text).first().waitFor(soon);
const press = (name: string | RegExp) =>
  lab.page.getByRole("button", { name, exact: true }).first().click(soon);

/** A switch that the organization's own grades support. */
async function verdictOn(change: {
  readonly candidate_model: string;
  readonly agent_id?: string | undefined;
}) {
  const policy = await lab.api<{ id: string }>("POST", "verify/policies", {
    name: change.candidate_model,
    evidence_mode: "captured",
  });
  const request = await lab.api<{ id: string }>("POST", "verify/requests", {
    prod_model: "gpt-4o",
    policy_id: policy.id,
    ...change,
  });
  const pairs = Array.from({ length: 300 }, (_, index) => ({ id: `pair-${index}`, score: (index % 2) / 2 }));
  await lab.api("POST", `verify/requests/${request.id}/pairs`, { pairs });
  const path = `verify/requests/${request.id}`;
  await eventually(
    "there is a verdict",
    async () => (await lab.api<{ verdict: unknown }>("GET", path)).verdict !== null,
  );
}

/** Calls of different lengths, each in a session of its own. */
async function callAs(agent: string, times: number) {
  const one = async (index: number) => {
    const answer = await fetch(`${lab.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${lab.testKey}`,
        "x-provider-key": "k",
        "x-agent-id": agent,
        "x-session-id": crypto.randomUUID(),
        "content-type": "application/json",
      },
      body: JSON.stringify({
        model: "gpt-4o",
        messages: [{ role: "user", content: "word ".repeat(1 + (index % 40)) }],
      }),
    });
    await answer.text();
  };
  await Promise.all(Array.from({ length: times }, (_, index) => one(index)));
}

async function callWriter(content: string, times: number) {
  const one = async () => {
    const answer = await fetch(`${lab.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${lab.testKey}`,
        "x-provider-key": "k",
        "x-agent-id": "writer",
        "content-type": "application/json",
      },
      body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content }] }),
    });
    await answer.text();
  };
  await Promise.all(Array.from({ length: times }, one));
}

beforeAll(async () => {
  lab = await startDashboardLab({ SVC_ALLOWED_PRIVATE_TARGETS: "127.0.0.1", SVC_FREE_VERIFICATIONS: "10" });
  for (let call = 0; call < CALLS; call++)
    await lab.send({ agent: "writer", model: "gpt-4o", customer: "acme" });
}, 600_000);
afterAll(async () => {
  await lab.stop();
  receiver.stop();
});

describe("budgets", () => {
  it("DASH-004 are created in dollars, with what the limit would have meant", async () => {
    const { page } = lab;
    await lab.open("/budgets");
    await press("New budget");
    await page.getByLabel("For").selectOption("customer");
    await page.getByLabel("Customer", { exact: true }).fill("acme");
    await page.getByLabel("Period").selectOption("daily");
    await page.getByLabel("Limit ($)").fill("0.0001");
    await page.locator("[data-limit-check='1']").waitFor(soon);
    await page.getByLabel("Limit ($)").fill("2.50");
    await page.locator("[data-limit-check='0']").waitFor(soon);
    await press("Create the budget");
    await page.waitForURL("**/budgets/*?mode=test");
    const [budget] = await budgets();
    expect(budget).toMatchObject({ limit_microcents: 25_000_000, customer_id: "acme", status: "active" });
  });

  it("DASH-002 DASH-005 show what is used as calls end, as the API has it", async () => {
    const { page } = lab;
    await lab.send({ agent: "writer", model: "gpt-4o", customer: "acme" });
    await eventually("the use is shown", async () => {
      const [budget] = await budgets();
      const used = `.side-panel [data-microcents="${budget?.current_spending_microcents}"]`;
      return (
        budget !== undefined &&
        budget.current_spending_microcents > 0 &&
        (await page.locator(used).count()) > 0
      );
    });
  });

  it("DASH-004 are changed, paused, resumed from 0 and deleted", async () => {
    const { page } = lab;
    await press("Change");
    await page.getByLabel("Limit ($)").fill("3");
    await press("Save");
    await eventually(
      "the limit is changed",
      async () => (await budgets())[0]?.limit_microcents === 30_000_000,
    );
    await press("Pause");
    await eventually("it is paused", async () => (await budgets())[0]?.status === "paused");
    await press("Resume");
    await page.getByLabel("Reset spend to $0.00").check();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).last().click();
    await eventually("it counts from 0", async () => {
      const [budget] = await budgets();
      return budget?.status === "active" && budget.current_spending_microcents === 0;
    });
    await press("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).last().click();
    await page.waitForURL("**/budgets?mode=test");
    expect(await budgets()).toEqual([]);
    await isShown("No budgets yet");
  });

  it("list the calls that they refused", async () => {
    const { page } = lab;
    await lab.api("POST", "budgets", {
      period: "daily",
      limit_microcents: 1,
      enforcement_mode: "hard_block",
    });
    await eventually("a call is refused", () =>
      lab.send({ agent: "writer" }).then(
        () => false,
        fault => String(fault).includes("429"),
      ),
    );
    const counted = async () => (await lab.api<{ call_count: number }>("GET", "refusals/counts")).call_count;
    await eventually("it is counted", async () => (await counted()) === 1);
    // A refused call is no event, so that the live channel does not tell of it.
    await lab.load("/budgets");
    await page.locator("[data-stat=refused]", { hasText: /^1$/ }).waitFor(soon);
    await page.getByRole("region", { name: "Calls refused by budgets" }).getByText("writer").waitFor(soon);
    const [budget] = await budgets();
    await lab.open(`/budgets/${budget?.id}`);
    await page.getByRole("link", { name: "All calls it refused" }).click(soon);
    await page.waitForURL(`**/calls?*budget=${budget?.id}*`);
    await isShown("Show all refused calls");
    await page.locator("tr[data-row]", { hasText: "writer" }).first().waitFor(soon);
    await lab.open("/calls?show=refused&budget=another");
    await isShown("No call was refused in this time range");
  });
});

describe("alerts", () => {
  it("DASH-002 DASH-004 appear by themselves and are acknowledged", async () => {
    const { page } = lab;
    await lab.open("/alerts?type=budget_warning");
    await page.locator("tr[data-row]", { hasText: "has reached its limit" }).click(soon);
    await page.locator(".side-panel").getByRole("link", { name: "Open the budget" }).waitFor(soon);
    await page.locator(".side-panel").getByRole("button", { name: "Acknowledge" }).click();
    const unread = async () =>
      (await lab.api<{ alerts: unknown[] }>("GET", "alerts?unread_only=true&type=budget_warning")).alerts
        .length;
    await eventually("it is read", async () => (await unread()) === 0);
    const [budget] = await budgets();
    await lab.api("DELETE", `budgets/${budget?.id}`);
    await page.keyboard.press("Escape");
    await isShown("No open alerts");
    await page.locator(".side-panel").waitFor({ ...soon, state: "detached" });
    await page.getByLabel("Show", { exact: true }).selectOption("over");
    await page.waitForURL("**/alerts?*show=over*");
    await page.locator("tr[data-row]", { hasText: "has reached its limit" }).waitFor(soon);
  });

  it("DASH-004 are sent to a channel that is set and tested in place", async () => {
    const { page } = lab;
    await lab.open("/alerts/settings");
    await page.getByLabel("Webhook", { exact: true }).first().fill(receiver.url);
    await press("Save the channels");
    await press("Show the secret");
    await page.getByRole("button", { name: "Copy the secret" }).waitFor(soon);
    await press("Send a test");
    await page.getByRole("status").getByText("delivered").waitFor(soon);
    expect(receiver.received).toHaveLength(1);
  });

  it("DASH-004 have rules and thresholds in people's units", async () => {
    const { page } = lab;
    const line = page.locator("[data-rule=error_rate] .alert-rule-line input");
    await line.fill("25");
    await press("Save the rules");
    interface Preferences {
      readonly error_rate: { readonly threshold_pct: number };
    }
    const preferences = () => lab.api<Preferences>("GET", "alerts/preferences");
    await eventually("the rule is saved", async () => (await preferences()).error_rate.threshold_pct === 25);
    await press("Add a threshold");
    await page.getByLabel("Reaches (dollars)").fill("12.50");
    await press("Add the threshold");
    const listed = async () =>
      (await lab.api<{ thresholds: { threshold_value: number }[] }>("GET", "alerts/thresholds")).thresholds;
    await eventually("it is listed", async () => (await listed())[0]?.threshold_value === 1250);
    await page.getByRole("button", { name: "Delete: Cost of a UTC day" }).click(soon);
    await eventually("it is deleted", async () => (await listed()).length === 0);
  });
});

describe("savings", () => {
  it("DASH-004 a suggestion is applied and undone", async () => {
    const { page } = lab;
    await lab.open("/savings/suggestions");
    const row = page.locator("[data-suggestion=model_switch]").first();
    await row.getByRole("button", { name: "Apply" }).click(soon);
    await page.getByRole("link", { name: "Decisions" }).click();
    await press("Undo");
    await isShown("No changes in force");
  });

  it("DASH-004 an owner turns the decision queue on", async () => {
    await press("Turn them on");
    await isShown("Waiting for a decision");
    await lab.page.locator("[data-stat=measured]").waitFor(soon);
  });

  it("DASH-004 an experiment is started, paused, resumed and stopped", async () => {
    const { page } = lab;
    await lab.open("/savings/suggestions");
    await page.getByRole("button", { name: "Test first" }).first().click(soon);
    await press("Start");
    await page.getByRole("link", { name: "Experiments" }).click();
    await press("Pause");
    await press("Resume");
    await page.getByRole("button", { name: "Pause" }).waitFor(soon);
    await press("Stop");
    await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
    await page.locator("[data-experiment]", { hasText: "cancelled" }).waitFor(soon);
  });

  it("DASH-004 LOOP-034 a verdict is approved, watched by the breaker unless that is off, and undone by it; another one is snoozed", async () => {
    const { page } = lab;
    const { agents } = await lab.api<{ agents: { id: string }[] }>("GET", "agents");
    await callWriter("Hello!", 120);
    await verdictOn({ candidate_model: "gpt-4o-mini", agent_id: agents[0]?.id });
    // The live channel does not tell of a verdict.
    await lab.load("/savings");
    await press("Approve");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    const log = page.getByRole("table", { name: "Log of changes" });
    await log.getByText("watching", { exact: true }).waitFor(soon);
    await lab.open("/settings");
    await isShown("On for every agent.");
    await page.getByLabel("Turn it off for").selectOption({ label: "writer" });
    await press("Turn off");
    await page.locator("[data-breaker-off]", { hasText: "writer" }).waitFor(soon);
    await lab.open("/savings");
    await log.getByText("off", { exact: true }).waitFor(soon);
    await lab.open("/settings");
    await press("Turn on");
    await isShown("On for every agent.");
    await lab.open("/savings");
    await log.getByText("watching", { exact: true }).waitFor(soon);
    await callWriter("tollgate:simulate=overload", 120);
    await log.getByText("tripped: error rate").waitFor(soon);
    await isShown("No changes in force");
    await verdictOn({ candidate_model: "gpt-4.1-nano" });
    await lab.load("/savings");
    const item = page.locator("[data-queue=verdict]", { hasText: "gpt-4o to gpt-4.1-nano" });
    await item.getByRole("button", { name: "Snooze" }).click(soon);
    await page.getByRole("menuitem", { name: "A week" }).click();
    await item.waitFor({ ...soon, state: "detached" });
  });

  it("DASH-004 a viewer sees no button to decide; an admin promotes a winner and dismisses a proposal", async () => {
    const { page, web } = lab;
    await callAs("zoe", 60);
    let zoe: string | undefined;
    await eventually("there is a suggestion for her", async () => {
      zoe = (await lab.api<{ agents: { id: string }[] }>("GET", "agents?search=ZOE")).agents[0]?.id;
      if (zoe === undefined) return false;
      const path = `suggestions?agent_id=${zoe}`;
      return (await lab.api<{ suggestions: unknown[] }>("GET", path)).suggestions.length > 0;
    });
    const { id } = await lab.api<{ id: string }>("POST", "experiments", {
      agent_id: zoe,
      name: "Try mini",
      treatment_model: "gpt-4o-mini",
      traffic_pct: 50,
    });
    interface Experiment {
      readonly winner: string | null;
      readonly promoted: boolean;
    }
    const experiment = () => lab.api<Experiment>("GET", `experiments/${id}`);
    await eventually("the new model wins", async () => {
      await callAs("zoe", 100);
      return (await experiment()).winner === "treatment";
    });
    // Proposals are made after every verdict; a running experiment blocks hers.
    await verdictOn({ candidate_model: "gpt-4.1-mini" });
    interface Proposals {
      readonly proposals: readonly { agent_id: string; status: string }[];
    }
    const states = async () =>
      (await lab.api<Proposals>("GET", "loop-views/proposals?limit=200")).proposals
        .filter(({ agent_id }) => agent_id === zoe)
        .map(({ status }) => status);
    await eventually("a proposal is blocked", async () => (await states()).includes("blocked"));

    const headers = { origin: web };
    const asOwner = async (method: "POST" | "PATCH", path: string, data: object) =>
      (await page.request.fetch(`${web}/api/members${path}`, { method, headers, data })).json();
    const invited = await asOwner("POST", "", { email: "vic@example.org", role: "viewer" });
    const vic = await openPage(lab.browser);
    await vic.goto(invited.accept_url);
    await vic.fill("input[name=password]", "another quite long phrase");
    await vic.click("button");
    await vic.waitForURL(({ pathname }) => pathname === "/");
    const open = async (path: string) => {
      await navigate(vic, new URL(`${path}?mode=test`, web));
      await settled(vic);
    };
    const deciding = /^(Promote|Dismiss|Approve|Snooze|Acknowledge|Pause|Stop|Apply|Undo|Test first)$/;
    const shown = async () =>
      (await vic.getByRole("button").allTextContents()).filter(name => deciding.test(name.trim()));
    const item = vic.locator("[data-queue=blocked_proposal]", { hasText: "zoe" }).first();
    const tried = vic.locator("[data-experiment]", { hasText: "Try mini" });
    for (const [path, content] of [
      ["/savings", item],
      ["/savings/experiments", tried],
      [`/agents/${zoe}`, tried],
      ["/savings/suggestions", vic.locator("[data-suggestion]").first()],
    ] as const) {
      await open(path);
      await content.waitFor(soon);
      expect([path, await shown()]).toEqual([path, []]);
    }

    await asOwner("PATCH", `/${invited.id}`, { role: "admin" });
    await vic.reload();
    await open("/savings/experiments");
    await tried.getByRole("button", { name: "Promote" }).click(soon);
    await vic.getByRole("dialog").getByRole("button", { name: "Promote" }).click();
    await eventually("it is promoted", async () => (await experiment()).promoted);
    await open("/savings");
    const before = (await states()).filter(status => status === "dismissed").length;
    await item.getByRole("button", { name: "Dismiss" }).click(soon);
    await eventually("it is dismissed", async () => {
      const now = (await states()).filter(status => status === "dismissed").length;
      return now === before + 1;
    });
    await vic.close();
  });

  it("DASH-002 DASH-004 a verification is started by a policy of one's own, shows pairs as they arrive, and is ended", async () => {
    const { page } = lab;
    await lab.open("/savings/verification");
    await press("Add a policy");
    await page.getByLabel("Name").fill("Everything");
    await page.getByLabel("Sampled calls (%)").fill("100");
    await press("Add the policy");
    await press("Verify a switch");
    await page.getByLabel("Current model").fill("gpt-4o");
    await page.getByLabel("Candidate model").fill("gpt-4o-mini");
    await page.getByLabel("Policy").selectOption({ label: "Everything" });
    await press("Verify");
    await page.waitForURL("**/savings/verification/*");
    const id = new URL(page.url()).pathname.split("/").at(-1);
    const pairsOf = async () =>
      (await lab.api<{ progress: { pairs: number } }>("GET", `verify/requests/${id}`)).progress.pairs;
    await eventually("the first pair is counted", async () => {
      if ((await pairsOf()) > 0) return true;
      await lab.send({ agent: "writer", model: "gpt-4o" });
      return false;
    });
    await page.locator(".side-panel [data-pairs]:not([data-pairs='0'])").first().waitFor(soon);
    await press("End it");
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).last().click();
    await page.locator(".side-panel", { hasText: "cancelled" }).waitFor(soon);
    await settled(page);
    expect(lab.complaints).toEqual([]);
  });
});
