import { type Browser, chromium, type Page } from "playwright-core";
import { installPackage } from "../processes/install-package.ts";

/** Chromium takes only the last such list: Playwright's own, where it matters here, and the pages of the address bar. */
const unusedFeatures = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "PaintHolding",
  "BlockOriginHeaderModificationOnRedirect",
  "Translate",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];

/** Headless, and without the browser's own network traffic: these machines have no network. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${unusedFeatures.join()}`,
];

/** The pages of tests live too short for optimized code to pay for its compilation. */
const withoutCompiler = ["--js-flags=--no-opt --no-maglev"];

/** The system's Chromium; installed from the distribution's package if it is missing and we have permission. */
export async function startBrowser(moreFlags = withoutCompiler): Promise<Browser> {
  const executablePath = findChromium() ?? installChromium();
  return await chromium.launch({ executablePath, args: [...flags, ...moreFlags], timeout: PATIENCE_MS });
}

export const DESKTOP = { width: 1280, height: 900 };

/** On a busy machine a page takes longer than the default of thirty seconds. */
const PATIENCE_MS = 540_000;

/** In a context of its own. Nothing moves: an animation would be drawn sixty times a second. */
export async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: "reduce", viewport: DESKTOP });
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
