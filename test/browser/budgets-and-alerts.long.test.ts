import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { settled } from "../support/clients/dashboard-pages.ts";
import { type DashboardLab, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { startReceiver } from "../support/servers/start-receiver.ts";
import { eventually } from "../support/waiting/eventually.ts";

/** Budgets and alerts: what people do there, end to end. */

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

beforeAll(async () => {
  lab = await startDashboardLab({ SVC_ALLOWED_PRIVATE_TARGETS: "127.0.0.1" });
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
    await lab.press("New budget");
    await page.getByLabel("For").selectOption("customer");
    await page.getByLabel("Customer", { exact: true }).fill("acme");
    await page.getByLabel("Period").selectOption("daily");
    await page.getByLabel("Limit ($)").fill("0.0001");
    await page.locator("[data-limit-check='1']").waitFor(soon);
    await page.getByLabel("Limit ($)").fill("2.50");
    await page.locator("[data-limit-check='0']").waitFor(soon);
    await lab.press("Create the budget");
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
    await lab.press("Change");
    await page.getByLabel("Limit ($)").fill("3");
    await lab.press("Save");
    await eventually(
      "the limit is changed",
      async () => (await budgets())[0]?.limit_microcents === 30_000_000,
    );
    await lab.press("Pause");
    await eventually("it is paused", async () => (await budgets())[0]?.status === "paused");
    await lab.press("Resume");
    await page.getByLabel("Reset spend to $0.00").check();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).last().click();
    await eventually("it counts from 0", async () => {
      const [budget] = await budgets();
      return budget?.status === "active" && budget.current_spending_microcents === 0;
    });
    await lab.press("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).last().click();
    await page.waitForURL("**/budgets?mode=test");
    expect(await budgets()).toEqual([]);
    await lab.isShown("No budgets yet");
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
    await lab.isShown("Show all refused calls");
    await page.locator("tr[data-row]", { hasText: "writer" }).first().waitFor(soon);
    await lab.open("/calls?show=refused&budget=another");
    await lab.isShown("No call was refused in this time range");
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
    await lab.isShown("No open alerts");
    await page.locator(".side-panel").waitFor({ ...soon, state: "detached" });
    await page.getByLabel("Show", { exact: true }).selectOption("over");
    await page.waitForURL("**/alerts?*show=over*");
    await page.locator("tr[data-row]", { hasText: "has reached its limit" }).waitFor(soon);
  });

  it("DASH-004 are sent to a channel that is set and tested in place", async () => {
    const { page } = lab;
    await lab.open("/alerts/settings");
    await page.getByLabel("Webhook", { exact: true }).first().fill(receiver.url);
    await lab.press("Save the channels");
    await lab.press("Show the secret");
    await page.getByRole("button", { name: "Copy the secret" }).waitFor(soon);
    await lab.press("Send a test");
    await page.getByRole("status").getByText("delivered").waitFor(soon);
    expect(receiver.received).toHaveLength(1);
  });

  it("DASH-004 have rules and thresholds in people's units", async () => {
    const { page } = lab;
    const line = page.locator("[data-rule=error_rate] .alert-rule-line input");
    await line.fill("25");
    await lab.press("Save the rules");
    interface Preferences {
      readonly error_rate: { readonly threshold_pct: number };
    }
    const preferences = () => lab.api<Preferences>("GET", "alerts/preferences");
    await eventually("the rule is saved", async () => (await preferences()).error_rate.threshold_pct === 25);
    await lab.press("Add a threshold");
    await page.getByLabel("Reaches (dollars)").fill("12.50");
    await lab.press("Add the threshold");
    const listed = async () =>
      (await lab.api<{ thresholds: { threshold_value: number }[] }>("GET", "alerts/thresholds")).thresholds;
    await eventually("it is listed", async () => (await listed())[0]?.threshold_value === 1250);
    await page.getByRole("button", { name: "Delete: Cost of a UTC day" }).click(soon);
    await eventually("it is deleted", async () => (await listed()).length === 0);
    await settled(page);
    expect(lab.complaints).toEqual([]);
  });
});
