import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { chat } from "../clients/call-endpoints.ts";
import { openPage, startBrowser } from "../clients/chromium.ts";
import { navigate } from "../clients/dashboard-pages.ts";
import { printedKeys, type RunningTollgate, startTollgate } from "../processes/tollgate-process.ts";

/** On a busy machine a page takes longer than Playwright's default. */
export const soon = { timeout: 540_000 };
export const PASSWORD = "a password of some length";

interface SentCall {
  readonly agent?: string;
  readonly model?: string;
  readonly session?: string;
  readonly customer?: string;
  readonly content?: string;
}

export interface DashboardLab {
  readonly tollgate: RunningTollgate;
  readonly browser: Browser;
  /** Signed in as the owner of the first organization, at the overview. */
  readonly page: Page;
  readonly web: string;
  readonly gateway: string;
  readonly testKey: string;
  readonly ledgerPath: string;
  /** What the page must not do: errors, breaches of its policy, requests to other hosts. */
  readonly complaints: readonly string[];
  /** Goes to a path in test mode, which is where `send` leads, inside the page that is open. */
  open(path: string): Promise<void>;
  /** Loads a path in test mode: nothing that was read before is kept. */
  load(path: string): Promise<void>;
  /** Clicks the first button of this name. */
  press(name: string | RegExp): Promise<void>;
  /** Waits for a text on the page. */
  isShown(text: string | RegExp): Promise<void>;
  /** The web API with the test key. */
  api<Answer = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** A call through the gateway, answered by the simulator. */
  send(call?: SentCall): Promise<void>;
  stop(): Promise<void>;
}

/** The whole program with a browser that is signed in; one for a file of tests. */
export async function startDashboardLab(settings: Record<string, string> = {}): Promise<DashboardLab> {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-dashboard-"));
  const tollgate = startTollgate(dataDir, settings);
  const gateway = await tollgate.ready();
  const web = tollgate.addressOf("web");
  const testKey = printedKeys(tollgate.stdout).test[0] ?? "";
  const browser = await startBrowser();
  const page = await openPage(browser);
  const complaints = collectComplaints(page, web);
  await page.goto(signInLink(tollgate));
  await page.fill("input[name=password]", PASSWORD);
  await page.click("button");
  await page.waitForURL(`${web}/`);
  await page.locator("main").waitFor();
  const inTestMode = (path: string) => {
    const url = new URL(path, web);
    url.searchParams.set("mode", "test");
    return url;
  };
  const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };

  return {
    tollgate,
    browser,
    page,
    web,
    gateway,
    testKey,
    ledgerPath: join(dataDir, "ledger.db"),
    complaints,
    async open(path) {
      await navigate(page, inTestMode(path));
    },
    async load(path) {
      await page.goto(inTestMode(path).href);
      await page.locator("main").waitFor();
    },
    press: name => page.getByRole("button", { name, exact: true }).first().click(soon),
    isShown: text => page.getByText(text).first().waitFor(soon),
    async api<Answer>(method: string, path: string, body?: unknown) {
      const answer = await fetch(`${web}/api/${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      // The caller names the shape that the operation declares.
      return (text === "" ? {} : JSON.parse(text)) as Answer;
    },
    async send({ agent = "planner", model = chat.body.model, session, customer, content } = {}) {
      const messages = content === undefined ? chat.body.messages : [{ role: "user", content }];
      const answer = await fetch(gateway + chat.path, {
        method: "POST",
        headers: {
          ...headers,
          "x-provider-key": "k",
          "x-agent-id": agent,
          ...(session === undefined ? {} : { "x-session-id": session }),
          ...(customer === undefined ? {} : { "x-customer-id": customer }),
        },
        body: JSON.stringify({ ...chat.body, model, messages }),
      });
      if (!answer.ok) throw new Error(`the call was answered ${answer.status}: ${await answer.text()}`);
      await answer.text();
    },
    async stop() {
      await browser.close();
      await tollgate.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function signInLink(tollgate: RunningTollgate): string {
  return /http:\S*magic-link\S*/.exec(tollgate.stdout)?.[0] ?? "";
}

function collectComplaints(page: Page, web: string): string[] {
  const complaints: string[] = [];
  page.on("pageerror", fault => complaints.push(fault.message));
  // Chromium reports a violation of the policy on the console.
  page.on("console", message => {
    if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
  });
  page.on("request", request => {
    const url = request.url();
    if (!url.startsWith(web) && !/^(data|blob|about):/.test(url)) complaints.push(`foreign request: ${url}`);
  });
  return complaints;
}
