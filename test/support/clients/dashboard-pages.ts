import type { Page } from "playwright-core";

/** A page that was laid out and has its data. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").waitFor();
  await page.locator(".skeleton, [aria-busy=true]").first().waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}

/** The paths in the navigation, in its order. */
export async function navigationPaths(page: Page): Promise<string[]> {
  await page.locator(".navigation-pages a").first().waitFor();
  return await page.evaluate<string[]>(
    '[...document.querySelectorAll(".navigation-pages a")].map(link => link.pathname)',
  );
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

/** What axe-core finds wrong with the page as it is. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text());
  const found = await page.evaluate<Violation[]>("axe.run().then(({ violations }) => violations)");
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
