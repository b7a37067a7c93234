import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type DashboardLab, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { eventually } from "../support/waiting/eventually.ts";

let lab: DashboardLab;

beforeAll(async () => {
  lab = await startDashboardLab();
  for (const agent of ["planner", "writer", "planner"])
    await lab.send({ agent, session: "s-1", customer: "acme" });
  await lab.open("/calls");
}, 600_000);
afterAll(async () => {
  await lab.stop();
});

const rows = () => lab.page.locator("tr[data-row]");
const hasRows = (count: number) =>
  eventually(`${count} rows are shown`, async () => (await rows().count()) === count);

interface Listed {
  readonly events: { readonly id: string; readonly cost_microcents: number }[];
}

describe("the calls", () => {
  it("DASH-001 are filtered by the URL, and by the filter bar", async () => {
    const { page } = lab;
    await hasRows(3);
    await page.keyboard.press("/");
    await page.keyboard.type("writer");
    await page.getByRole("option", { name: "writer Agent", exact: true }).waitFor(soon);
    await page.keyboard.press("Enter");
    const { agents } = await lab.api<{ agents: { id: string; agent_key: string }[] }>("GET", "agents");
    const writer = agents.find(({ agent_key }) => agent_key === "writer");
    await page.waitForURL(`**/calls?mode=test&agent=${writer?.id}`);
    await page.locator(".filter", { hasText: "Agent writer" }).waitFor(soon);
    await hasRows(1);
    await page.getByRole("button", { name: "Remove the filter Agent" }).click();
    await hasRows(3);
    await lab.open("/calls?customer=nobody");
    await page.getByText("No calls in this time range").waitFor(soon);
  });

  it("DASH-001 are found by the palette: by id, customer and session", async () => {
    const { page } = lab;
    const { events } = await lab.api<Listed>("GET", "events");
    await lab.open("/calls");
    const find = async (text: string, name: string) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type(text);
      await page.getByRole("option", { name, exact: true }).click(soon);
    };
    await find("acm", "acme Customer");
    await page.waitForURL(({ pathname }) => pathname === "/customers/acme", soon);
    await find("s-1", "s-1 Session");
    await page.waitForURL(({ pathname }) => pathname === "/sessions/s-1", soon);
    const id = events[0]?.id ?? "";
    await find(id, `${id} Call`);
    await page.waitForURL(({ pathname }) => pathname === `/calls/${id}`, soon);
    await page.locator("[aria-current=true]").waitFor(soon);
  });

  it("DASH-002 wait while paused, and appear when it is resumed", async () => {
    const { page } = lab;
    await lab.open("/calls");
    await hasRows(3);
    await page.getByRole("button", { name: "Pause" }).click();
    await lab.send({ agent: "later" });
    await page.getByText("1 new call waiting").waitFor(soon);
    expect(await rows().count()).toBe(3);
    await page.getByRole("button", { name: "Resume" }).click();
    await hasRows(4);
  });

  it("show chosen columns, and are downloaded as they are shown", async () => {
    const { page } = lab;
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Customer" }).click();
    await page.keyboard.press("Escape");
    await page.locator("td[data-column=customer]", { hasText: "acme" }).first().waitFor(soon);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    const text = await Bun.file(await file.path()).text();
    const [titles = "", ...lines] = text.split("\r\n");
    expect(titles.split(",")).toContain("Customer");
    expect(lines).toHaveLength(4);
    expect(lines.filter(line => line.includes("acme"))).toHaveLength(3);
  });

  it("DASH-006 DASH-007 open by keyboard in a panel with its own URL, with a receipt that adds up to the cost", async () => {
    const { page, web } = lab;
    let [newest] = (await lab.api<Listed>("GET", "events")).events;
    // The page's first row comes from the live channel, which may be ahead of the read model.
    await eventually("both have the same newest call", async () => {
      [newest] = (await lab.api<Listed>("GET", "events")).events;
      return (await page.locator("tr[data-row]").first().getAttribute("data-row")) === newest?.id;
    });
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${web}/calls/${newest?.id}?mode=test`);
    const total = page.locator("[data-receipt=total] [data-microcents]");
    await total.waitFor(soon);
    expect(Number(await total.getAttribute("data-microcents"))).toBe(newest?.cost_microcents ?? -1);
    const amounts = await page.locator("[data-receipt=amount]").allTextContents();
    expect(amounts.length).toBeGreaterThan(1);
    const sum = amounts.reduce((all, text) => all + Math.round(Number(text.replace(/[$,]/g, "")) * 1e12), 0);
    const shown = Number(((await total.textContent()) ?? "").replace(/[$,]/g, ""));
    expect(sum).toBe(Math.round(shown * 1e12));
    await page.keyboard.press("Escape");
    await page.waitForURL(`${web}/calls?mode=test`);
    await page.goto(`${web}/calls/${newest?.id}?mode=test`);
    await total.waitFor(soon);
  });

  it("DASH-005 of unknown price have a receipt without a sum", async () => {
    const { page } = lab;
    await lab.send({ agent: "planner", model: "gpt-nobody-knows" });
    let id = "";
    await eventually("it is listed", async () => {
      const { events } = await lab.api<Listed>("GET", "events?model=gpt-nobody-knows");
      id = events[0]?.id ?? "";
      return id !== "";
    });
    await lab.open(`/calls/${id}`);
    await page.locator("[data-receipt=total]", { hasText: /^unpriced$/ }).waitFor(soon);
    expect(await page.locator(".receipt", { hasText: "no price" }).count()).toBe(1);
  });

  it("that do not exist are reported once, with where they may be", async () => {
    await lab.open("/calls/no-such-call");
    await lab.isShown(/There is no such event.*belongs to live traffic/s);
    expect(await lab.page.getByText("There is no such event").count()).toBe(1);
    expect(await lab.page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  it("DASH-005 that the gateway refused are listed with their reason", async () => {
    const { page } = lab;
    const budget = await lab.api<{ id: string }>("POST", "budgets", {
      period: "daily",
      limit_microcents: 1,
      enforcement_mode: "hard_block",
    });
    await eventually("a call is refused", async () => {
      const fault = await lab.send({ agent: "refused-one" }).catch((caught: Error) => caught);
      return fault instanceof Error && fault.message.includes("429");
    });
    await lab.api("DELETE", `budgets/${budget.id}`);
    await lab.load("/calls?show=refused");
    await eventually("the refusal is listed", async () => {
      if ((await rows().count()) > 0) return true;
      await page.reload();
      await page
        .getByText(/No call was refused|budget exceeded/)
        .first()
        .waitFor(soon);
      return false;
    });
    await page.locator("tr[data-row]", { hasText: "budget exceeded" }).first().waitFor(soon);
    expect(lab.complaints).toEqual([]);
  });

  it("DASH-002 that have just ended are in a list that opens before statistics include them", async () => {
    for (const customer of ["just-1", "just-2", "just-3", "just-4", "just-5"]) {
      for (let sent = 0; sent < 3; sent++) await lab.send({ agent: "writer", customer });
      await lab.open(`/calls?customer=${customer}`);
      await hasRows(3);
    }
  });
});
