import type { Page } from "playwright-core";

interface HeldAnswer {
  /** Resolves once the server has answered; the page does not know yet. */
  readonly isHeld: Promise<void>;
  release(): Promise<void>;
}

/** Holds back the first answer to a GET of a path; all others pass. */
export async function holdFirst(page: Page, path: string): Promise<HeldAnswer> {
  const isPath = (url: URL) => url.pathname === path;
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const passed = Promise.withResolvers<void>();
  let isFirst = true;
  await page.route(isPath, async route => {
    if (!isFirst || route.request().method() !== "GET") return await route.fallback();
    isFirst = false;
    const response = await route.fetch();
    held.resolve();
    await released.promise;
    await route.fulfill({ response });
    passed.resolve();
  });
  return {
    isHeld: held.promise,
    async release() {
      released.resolve();
      await passed.promise;
      await page.unroute(isPath);
    },
  };
}
