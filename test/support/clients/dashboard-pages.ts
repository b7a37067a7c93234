import type { Page } from "playwright-core";
import { DESKTOP } from "./chromium.ts";

/** A page that was laid out and has its data. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").waitFor();
  await page.locator(".skeleton, [aria-busy=true]").first().waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}

/**
 * Goes to an address inside the page, as its links do: loading it again costs four times as much CPU. It leaves through
 * an address without a page, so that nothing of the previous page is mistaken for the next one.
 */
export async function navigate(page: Page, url: URL): Promise<void> {
  const nowhere = new URL(`/no-such-page?mode=${url.searchParams.get("mode")}`, url);
  const push = (to: URL) => page.evaluate(`history.pushState(null, "", ${JSON.stringify(to.href)})`);
  const notFound = page.getByText("Page not found");
  await page.locator("main").waitFor();
  await push(nowhere);
  await notFound.waitFor();
  // On a busy machine the page has been seen to stay although its address had changed; why is not known.
  const isThere = () =>
    notFound.waitFor({ state: "detached", timeout: 2000 }).then(
      () => true,
      () => false,
    );
  do await push(url);
  while (!(await isThere()));
  await page.locator("main").waitFor();
}

/** Parts of pages, with URLs of their own. */
export const partPaths = [
  "/settings/plan",
  "/savings/suggestions",
  "/savings/leaks",
  "/savings/experiments",
  "/savings/verification",
  "/alerts/predictions",
  "/alerts/settings",
];

/** The paths in the navigation, in its order, then those of the parts. */
export async function pagePaths(page: Page): Promise<string[]> {
  await page.locator(".navigation-pages a").first().waitFor();
  const inNavigation = await page.evaluate<string[]>(
    '[...document.querySelectorAll(".navigation-pages a")].map(link => link.pathname)',
  );
  return [...inNavigation, ...partPaths];
}

/** Opens the first row of the page's first list of things that can be opened. Resolves with whether there is one. */
export async function openFirstRow(page: Page): Promise<boolean> {
  const row = page.locator("tr[data-opens]").first();
  if ((await row.count()) === 0) return false;
  await row.evaluate('row => row.setAttribute("data-clicked", "")');
  await row.click();
  // Until its script is loaded, the page stays as it is.
  await page.locator(".side-panel, main:not(:has(tr[data-clicked]))").first().waitFor();
  await settled(page);
  return true;
}

/** Boxes whose content is wider than they are, and that do not scroll. */
export async function tooWide(page: Page): Promise<string[]> {
  return await page.evaluate<
    string[]
  >(`[...document.querySelectorAll("html, main, section, .side-panel, .dialog")]
    .filter(box => box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "auto")
    .map(box => box.id || box.className || box.tagName)`);
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const axe = Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

/** What axe-core finds wrong with the page as it is, by all of its rules or by one. */
export async function violations(page: Page, rule?: "color-contrast"): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(await axe);
  const options = {
    resultTypes: ["violations"],
    preload: { assets: ["media"] },
    ...(rule && { runOnly: [rule] }),
  };
  const found = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

const PHONE = { width: 390, height: 844 };

export const views = ["phone", "light", "dark"] as const;
type View = (typeof views)[number];

/** Whether the page as it is fits on a phone, and what axe-core finds wrong with it there and on a desktop, light and dark. */
export async function wrongAtAnySize(page: Page, checked: readonly View[] = views): Promise<string[]> {
  const inView = async (view: View, rule?: "color-contrast") =>
    checked.includes(view) ? await violations(page, rule) : [];
  await page.setViewportSize(PHONE);
  await settled(page);
  const onPhone = [...(await tooWide(page)), ...(await inView("phone"))];
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await settled(page);
  const light = await inView("light");
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  // A theme changes nothing but colours.
  const dark = await inView("dark", checked.includes("light") ? "color-contrast" : undefined);
  return [
    ...onPhone.map(one => `phone: ${one}`),
    ...light.map(one => `light: ${one}`),
    ...dark.map(one => `dark: ${one}`),
  ];
}
