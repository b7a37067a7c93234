import { afterAll, beforeAll, expect, it } from "bun:test";
import { checkoutOperations } from "@tollgate/core/contract/checkout";
import type { Browser, Page } from "playwright-core";
import { openPage, startBrowser } from "../support/clients/chromium.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { type RunningTollgate, startTollgate, svc } from "../support/processes/tollgate-process.ts";

const folder = temporaryFolder();
const dataDir = folder("data");
const created = checkoutOperations["verify.checkouts.create"].output;
let tollgate: RunningTollgate;
let browser: Browser;
let page: Page;
let web: string;
const complaints: string[] = [];

beforeAll(async () => {
  tollgate = startTollgate(dataDir, {
    SVC_ANONYMOUS_CHECKOUT: "1",
    SVC_OPERATOR_CONTACT: "verifications@example.org",
  });
  await tollgate.ready();
  web = tollgate.addressOf("web");
  browser = await startBrowser();
  page = await openPage(browser);
  page.on("pageerror", fault => complaints.push(fault.message));
  // Chromium reports a violation of the policy on the console.
  page.on("console", message => {
    if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
  });
}, 600_000);
afterAll(async () => {
  await browser.close();
  await tollgate.stop();
});

const heading = async () => (await page.locator("h1").textContent()) ?? "";
const isTooWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

it("LOOP-019 LOOP-028 a buyer without a key learns whom to contact, signs in, and claims the grant", async () => {
  const answer = await fetch(`${web}/api/verify/checkout`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({}),
  });
  const { id, checkout_url, claim } = created.parse(await answer.json());
  const place = `${web}${new URL(checkout_url).pathname}`;

  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(place);
  expect(await heading()).toBe("Buy verifications");
  expect(await page.locator('a[href^="mailto:"]').textContent()).toBe("verifications@example.org");
  expect(await page.evaluate(isTooWide)).toBe(false);

  // Not signed in: the message says so, and the code is not used up.
  await page.locator("input[name=claim_code]").fill(claim?.code ?? "");
  await page.locator("button").click();
  await page.locator("[role=alert]", { hasText: "Sign in" }).waitFor();

  const granted = await svc(dataDir, ["verification", "grant", "--checkout", id, "--count", "4"]);
  expect(granted.stdout).toContain("4 paid");
  const link = /http\S+magic-link\S+/.exec(tollgate.stdout)?.[0] ?? "";
  await page.goto(link);
  await page.goto(place);
  expect(await heading()).toBe("Claim your verifications");
  await page.locator("input[name=claim_code]").fill(claim?.code ?? "");
  await page.locator("button").click();
  await page.locator("h1", { hasText: "Thank you" }).waitFor();
  expect(await page.locator("main").textContent()).toContain("4 verifications were added to the balance");
  expect(complaints).toEqual([]);
});
