import { type Browser, chromium } from "playwright-core";

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
  return await chromium.launch({ executablePath: await findChromium(), args: flags });
}

async function findChromium(): Promise<string> {
  const installed = Bun.which("chromium") ?? Bun.which("chromium-browser") ?? Bun.which("google-chrome");
  if (installed) return installed;
  const mayInstall = process.getuid?.() === 0 && Bun.which("apt-get") !== null;
  if (!mayInstall)
    throw new Error("the pages are tested in Chromium: install your distribution's `chromium`");
  console.error("chromium is missing: apt-get install chromium");
  for (const step of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const run = Bun.spawn(["apt-get", "-qq", ...step], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
    });
    if ((await run.exited) !== 0) throw new Error(`apt-get ${step[0]} failed`);
  }
  const found = Bun.which("chromium");
  if (!found) throw new Error("apt-get installed chromium, but there is none to be found");
  return found;
}
