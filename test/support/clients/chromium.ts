import { type Browser, chromium, type Page } from "playwright-core";
import { installPackage } from "../labs/install-package.ts";

/** Headless, and without the browser's own network traffic: these machines have no network. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The system's Chromium; installed from the distribution's package if it is missing and we have permission. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium() ?? installChromium();
  return await chromium.launch({ executablePath, args: flags, timeout: PATIENCE_MS });
}

/** On a busy machine a page takes longer than the default of thirty seconds. */
const PATIENCE_MS = 540_000;

export async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

function findChromium(): string | null {
  return Bun.which("chromium") ?? Bun.which("chromium-browser") ?? Bun.which("google-chrome");
}

function installChromium(): string {
  installPackage("chromium");
  const found = findChromium();
  if (!found) throw new Error("apt-get installed chromium, but it cannot be found");
  return found;
}
