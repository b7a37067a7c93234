import { type Browser, chromium, type Page } from "playwright-core";
import { installPackage } from "../labs/install-package.ts";

/** Headless, and without the browser's own talk to the network: these machines have none. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The system's Chromium; installed from the distribution's package when it is missing and we may. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium() ?? installChromium();
  return await chromium.launch({ executablePath, args: flags, timeout: PATIENCE_MS });
}

/** A busy machine needs longer for a page than the thirty seconds that are usual. */
const PATIENCE_MS = 240_000;

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
  if (!found) throw new Error("apt-get installed chromium, but there is none to be found");
  return found;
}
