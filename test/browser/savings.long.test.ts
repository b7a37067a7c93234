import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { openPage } from "../support/clients/chromium.ts";
import { navigate, settled } from "../support/clients/dashboard-pages.ts";
import { type DashboardLab, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { eventually } from "../support/waiting/eventually.ts";

/** Savings: what people do there, end to end. */

const CALLS = 40;
let lab: DashboardLab;

const suggestions = async (query = "") =>
  (await lab.api<{ suggestions: unknown[] }>("GET", `suggestions${query}`)).suggestions;

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
  lab = await startDashboardLab({ SVC_FREE_VERIFICATIONS: "10" });
  for (let call = 0; call < CALLS; call++) await lab.send({ agent: "writer", model: "gpt-4o" });
  await eventually("there is a suggestion", async () => (await suggestions()).length > 0);
}, 600_000);
afterAll(async () => {
  await lab.stop();
});

describe("savings", () => {
  it("DASH-004 a suggestion is applied and undone", async () => {
    const { page } = lab;
    await lab.open("/savings/suggestions");
    const row = page.locator("[data-suggestion=model_switch]").first();
    await row.getByRole("button", { name: "Apply" }).click(soon);
    await page.getByRole("link", { name: "Decisions" }).click();
    await lab.press("Undo");
    await lab.isShown("No changes in force");
  });

  it("DASH-004 an owner turns the decision queue on", async () => {
    await lab.press("Turn them on");
    await lab.isShown("Waiting for a decision");
    await lab.page.locator("[data-stat=measured]").waitFor(soon);
  });

  it("DASH-004 an experiment is started, paused, resumed and stopped", async () => {
    const { page } = lab;
    await lab.open("/savings/suggestions");
    await page.getByRole("button", { name: "Test first" }).first().click(soon);
    await lab.press("Start");
    await page.getByRole("link", { name: "Experiments" }).click();
    await lab.press("Pause");
    await lab.press("Resume");
    await page.getByRole("button", { name: "Pause" }).waitFor(soon);
    await lab.press("Stop");
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
    await lab.press("Approve");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    const log = page.getByRole("table", { name: "Log of changes" });
    await log.getByText("watching", { exact: true }).waitFor(soon);
    await lab.open("/settings");
    await lab.isShown("On for every agent.");
    await page.getByLabel("Turn it off for").selectOption({ label: "writer" });
    await lab.press("Turn off");
    await page.locator("[data-breaker-off]", { hasText: "writer" }).waitFor(soon);
    await lab.open("/savings");
    await log.getByText("off", { exact: true }).waitFor(soon);
    await lab.open("/settings");
    await lab.press("Turn on");
    await lab.isShown("On for every agent.");
    await lab.open("/savings");
    await log.getByText("watching", { exact: true }).waitFor(soon);
    await callWriter("tollgate:simulate=overload", 120);
    await log.getByText("tripped: error rate").waitFor(soon);
    await lab.isShown("No changes in force");
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
      return (await suggestions(`?agent_id=${zoe}`)).length > 0;
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
    await lab.press("Add a policy");
    await page.getByLabel("Name").fill("Everything");
    await page.getByLabel("Sampled calls (%)").fill("100");
    await lab.press("Add the policy");
    await lab.press("Verify a switch");
    await page.getByLabel("Current model").fill("gpt-4o");
    await page.getByLabel("Candidate model").fill("gpt-4o-mini");
    await page.getByLabel("Policy").selectOption({ label: "Everything" });
    await lab.press("Verify");
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
    await lab.press("End it");
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).last().click();
    await page.locator(".side-panel", { hasText: "cancelled" }).waitFor(soon);
    await settled(page);
    expect(lab.complaints).toEqual([]);
  });
});
