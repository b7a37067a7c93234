/**
 * `npm run screenshots [-- <page> …] [-- --out <folder>]`: every page of the dashboard with the demo's data, and what the
 * first row of its list opens, in light, dark and on a phone, as docs/images/<page>[-opened]-<variant>.webp.
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openFirstRow, pagePaths, settled, tooWide } from "../support/clients/dashboard-pages.ts";
import { startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { eventually } from "../support/waiting/eventually.ts";

const variants = [
  { name: "light", colorScheme: "light", width: 1440, height: 900 },
  { name: "dark", colorScheme: "dark", width: 1440, height: 900 },
  { name: "phone", colorScheme: "light", width: 390, height: 844 },
] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: join(import.meta.dir, "../../docs/images") } },
});
const folder = resolve(values.out);
mkdirSync(folder, { recursive: true });

const lab = await startDashboardLab();
try {
  const { page, web } = lab;
  const demo = async (method: "get" | "post") => {
    const answer = await page.request[method](`${web}/api/demo`, { headers: { origin: web } });
    return (await answer.json()) as { status: string; organization: { id: string } | null };
  };
  await demo("post");
  await eventually("the demo is ready", async () => (await demo("get")).status === "ready");
  const org = (await demo("get")).organization?.id ?? "";
  const view = `?org=${org}&mode=test&range=30d`;
  await page.goto(`${web}/${view}`);
  // Playwright has no WebP, which takes half the space of PNG.
  const devTools = await page.context().newCDPSession(page);
  const capture = async (name: string) => {
    const { data } = await devTools.send("Page.captureScreenshot", { format: "webp", quality: 60 });
    await Bun.write(join(folder, name), Buffer.from(data, "base64"));
    const wide = await tooWide(page);
    console.log(`${name}${wide.length === 0 ? "" : `: too wide: ${wide.join(", ")}`}`);
  };
  for (const path of await pagePaths(page)) {
    const name = path === "/" ? "overview" : path.slice(1).replaceAll("/", "-");
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    for (const { name: variant, colorScheme, width, height } of variants) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height });
      await page.goto(`${web}${path}${view}`);
      await settled(page);
      // A list that fits more than its first answer loads on.
      await page.waitForLoadState("networkidle");
      await capture(`${name}-${variant}.webp`);
      if (await openFirstRow(page)) await capture(`${name}-opened-${variant}.webp`);
    }
  }
  for (const complaint of lab.complaints) console.log(complaint);
} finally {
  await lab.stop();
}
