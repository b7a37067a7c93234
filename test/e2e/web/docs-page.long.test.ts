import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { operations } from "@tollgate/core/contract/operations";
import type { Browser } from "playwright-core";
import { openPage, startBrowser } from "../../support/clients/chromium.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
let browser: Browser;
beforeAll(async () => {
  lab = await startControlLab();
  // The page runs scripts long enough for compiling them to pay.
  browser = await startBrowser([]);
}, 600_000);
afterAll(async () => {
  await browser.close();
  await lab.stop();
});

describe("the API documentation page", () => {
  it("WEB-013 shows every operation and calls one, in a browser that enforces our content security policy", async () => {
    const { liveKey } = await lab.organization();
    const page = await openPage(browser);
    const complaints: string[] = [];
    page.on("console", message => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", fault => complaints.push(fault.message));
    await page.goto(`${lab.url}/docs`);
    await page.waitForSelector(".opblock");
    // The page draws only what is in sight.
    const seen = new Set<string>();
    const scrollUntil = (what: string, isDone: () => boolean | Promise<boolean>) =>
      eventually(what, async () => {
        for (const text of await page.locator(".opblock-summary-control").allTextContents()) seen.add(text);
        if (await isDone()) return true;
        await page.evaluate(
          "scrollTo(0, scrollY + innerHeight >= document.body.scrollHeight - 1 ? 0 : scrollY + innerHeight / 2)",
        );
        return false;
      });
    await scrollUntil("every operation was shown", () => seen.size >= Object.keys(operations).length);
    expect(seen.size).toBe(Object.keys(operations).length);
    await page.evaluate("scrollTo(0, 0)");

    await page.click(".authorize");
    await page.fill(".auth-container input[type=text] >> nth=0", liveKey);
    await page.click(".auth-btn-wrapper .authorize >> nth=0");
    await page.click(".btn-done");
    const block = page.locator(".opblock", { hasText: "/api/budgets/status" }).first();
    await scrollUntil("the operation is in sight", async () => (await block.count()) > 0);
    await block.locator(".opblock-summary").click();
    await block.locator(".try-out__btn").click();
    await block.locator(".execute").click();
    await block.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
    expect(await block.locator(".live-responses-table").textContent()).toContain("total_spending_microcents");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
