import type { Browser, Cookie, Page } from "playwright-core";
import { openPage } from "../../test/support/clients/chromium.ts";
import { END } from "../data/staged-fleet.ts";
import type { View } from "./views.ts";

/** What a view took, and what it asked the web API for. */
export interface Opened {
  readonly ms: number;
  /** Paths with queries. */
  readonly asked: readonly string[];
}

/** Counts the page's requests, because a page is complete only once all of them are answered. */
const countRequests = `{
  const own = window.fetch;
  window.asking = { begun: 0, ended: 0 };
  window.fetch = (...args) => {
    window.asking.begun++;
    return own.call(window, ...args).finally(() => window.asking.ended++);
  };
}`;

/** All data is drawn, and the page has been idle for a frame: it would react to a click. */
const isComplete = (begunBefore: number) => `new Promise(resolve => {
  const look = () => {
    const { begun, ended } = window.asking;
    const isDrawn = document.querySelector("main") !== null
      && document.querySelector(".skeleton, [aria-busy=true]") === null;
    if (begun > ${begunBefore} && begun === ended && isDrawn) requestAnimationFrame(() => resolve());
    else requestAnimationFrame(look);
  };
  look();
})`;

/** A browser without a cache, signed in. */
export class Viewer {
  readonly #asked: string[] = [];
  readonly #failed: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    page.on("request", request => {
      if (isQuestion(request.url(), url)) this.#asked.push(request.url().slice(url.length));
    });
    page.on("response", response => {
      if (isQuestion(response.url(), url) && !response.ok()) {
        this.#failed.push(`${response.status()} ${response.url()}`);
      }
    });
    page.on("pageerror", fault => this.#failed.push(fault.message));
  }

  static async signIn(browser: Browser, url: string, session: readonly Cookie[]): Promise<Viewer> {
    const page = await openPage(browser);
    await page.context().addCookies([...session]);
    // The data ends there.
    await page.clock.setFixedTime(END);
    await page.addInitScript(countRequests);
    return new Viewer(page, url);
  }

  async open({ name, kind, path }: View): Promise<Opened> {
    this.#asked.length = 0;
    const begunBefore = kind === "load" ? 0 : await this.page.evaluate<number>("window.asking.begun");
    const startedAt = performance.now();
    if (kind === "load") await this.page.goto(this.url + path, { waitUntil: "commit" });
    else await this.page.evaluate(`void history.pushState(null, "", ${JSON.stringify(path)})`);
    await this.page.evaluate(isComplete(begunBefore));
    const ms = performance.now() - startedAt;
    // An error is shown quickly, and would improve the result.
    if (this.#failed.length > 0) throw new Error(`${name}: ${this.#failed.join(", ")}`);
    return { ms, asked: [...this.#asked] };
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

const isQuestion = (asked: string, url: string) => asked.startsWith(`${url}/api/`);
