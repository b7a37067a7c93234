/** The dashboard at ten million events, in a browser: how long a view takes, beside its questions to the web API. */
import { join } from "node:path";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { startBrowser } from "../../test/support/clients/chromium.ts";
import { type PreparedData, prepareData } from "../data/prepare-data.ts";
import { ORGANIZATION } from "../data/sample-traffic.ts";
import { describeEnvironment } from "../kit/environment.ts";
import { percentile } from "../kit/percentile.ts";
import { progress } from "../kit/progress.ts";
import { MAX_STOLEN, watchSteal } from "../kit/steal.ts";
import { startToolsControl } from "../tools/start-tools-control.ts";
import { type Answered, askAgain } from "./ask-again.ts";
import { maxRounds, rounds } from "./rounds.ts";
import { createLink, signIn } from "./sign-in.ts";
import { Viewer } from "./viewer.ts";
import { type View, viewsOf } from "./views.ts";

const limitsMs: Readonly<Record<View["kind"], number | null>> = { load: 1000, page: null, filter: 300 };

interface Round {
  /** Of each view, in milliseconds. */
  readonly times: ReadonlyMap<string, number>;
  /** Share of the machine's CPU time that the hypervisor took. */
  readonly stolen: number;
}

const isQuiet = ({ stolen }: Round) => stolen < MAX_STOLEN;

interface ViewResult {
  readonly name: string;
  readonly kind: View["kind"];
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  /** The same questions without a browser, slowest first. */
  readonly questions: readonly Answered[];
}

/** Resolves with the exit code: 0, 1 if a condition does not hold, 2 for invalid arguments. */
export async function runDashboardBench(args: readonly string[]): Promise<number> {
  const data = await prepareData("dashboard", args);
  return data === null ? 2 : report(data, await measure(data.folder));
}

async function measure(folder: string): Promise<ViewResult[]> {
  const ledger = new LedgerReader(join(folder, "ledger.db"));
  const agentIds = ledger.agentsOf(ORGANIZATION, "live").map(({ id }) => id);
  ledger.close();
  const link = await createLink(folder);
  const control = await startToolsControl(folder);
  progress("waiting until the control plane has nothing left to derive");
  if (!(await control.settled())) throw new Error("the control plane was still busy after five minutes");
  const browser = await startBrowser([]);
  try {
    const session = await signIn(browser, control.url, link);
    const measured: Round[] = [];
    const asked = new Map<string, readonly string[]>();
    const isComplete = () => measured.filter(isQuiet).length >= rounds || measured.length >= maxRounds;
    // The first round is the warm-up: nothing of it counts.
    for (let round = -1; !isComplete(); round++) {
      const views = viewsOf(Math.max(0, round) % rounds, { agentIds });
      const stolenSoFar = watchSteal();
      const viewer = await Viewer.signIn(browser, control.url, session);
      const times = new Map<string, number>();
      for (const view of views) {
        const opened = await viewer.open(view);
        times.set(view.name, opened.ms);
        asked.set(view.name, opened.asked);
      }
      await viewer.close();
      if (round >= 0) measured.push({ times, stolen: stolenSoFar() });
      const quiet = measured.filter(isQuiet).length;
      progress(round < 0 ? "warmed up" : `round ${round + 1}, ${quiet} of ${rounds} quiet`);
    }
    const quiet = measured.filter(isQuiet);
    const counted = quiet.length >= rounds ? quiet : measured;
    if (counted !== quiet) progress("the machine was not quiet: every round counts");
    const results: ViewResult[] = [];
    for (const { name, kind } of viewsOf(0, { agentIds })) {
      const ascending = counted.flatMap(({ times }) => times.get(name) ?? []).sort((a, b) => a - b);
      results.push({
        name,
        kind,
        p50Ms: percentile(ascending, 0.5) ?? Number.NaN,
        p95Ms: percentile(ascending, 0.95) ?? Number.NaN,
        longestMs: ascending.at(-1) ?? Number.NaN,
        questions: await askAgain(control.url, session, asked.get(name) ?? []),
      });
    }
    return results;
  } finally {
    await browser.close();
    await control.stop();
  }
}

function report({ json, events }: PreparedData, results: readonly ViewResult[]): number {
  const condition = (kind: View["kind"], text: string) => {
    const limitMs = limitsMs[kind] ?? Number.POSITIVE_INFINITY;
    const ofKind = results.filter(result => result.kind === kind);
    const slow = ofKind.filter(({ p95Ms }) => !(p95Ms <= limitMs));
    const slowest = ofKind.toSorted((a, b) => b.p95Ms - a.p95Ms)[0];
    return {
      verdict: slow.length === 0 && ofKind.length > 0 ? "PASS" : "FAIL",
      text: `${text} within ${limitMs} ms (p95 of ${rounds})`,
      numbers:
        slow.length > 0
          ? `over it: ${slow.map(({ name, p95Ms }) => `${name} ${p95Ms.toFixed(0)} ms`).join(", ")}`
          : `slowest ${slowest?.name ?? "none"}, ${slowest?.p95Ms.toFixed(0) ?? "–"} ms`,
    };
  };
  const conditions = [
    condition("load", "the overview is interactive"),
    condition("filter", "a filter change is answered and drawn"),
  ];
  const ok = conditions.every(({ verdict }) => verdict === "PASS");
  const environment = describeEnvironment();
  if (json) {
    console.log(JSON.stringify({ ok, environment, events, results, conditions }, null, 2));
    return ok ? 0 : 1;
  }
  console.log(`\n${environment}; ${events.toLocaleString("en-US")} events, 200 agents\n`);
  const columns = ["median ms", "p95 ms", "longest", "questions", "API ms"];
  console.log(
    `${"in the browser".padEnd(34)}${columns.map(title => title.padStart(11)).join("")}  slowest question`,
  );
  for (const { name, p50Ms, p95Ms, longestMs, questions } of results) {
    const [slowest] = questions;
    const numbers = [p50Ms, p95Ms, longestMs].map(ms => ms.toFixed(0).padStart(11));
    const api = [String(questions.length), slowest?.ms.toFixed(1) ?? "–"].map(text => text.padStart(11));
    console.log(`${name.padEnd(34)}${numbers.join("")}${api.join("")}  ${slowest?.path.slice(0, 90) ?? ""}`);
  }
  console.log("");
  for (const { verdict, text, numbers } of conditions) console.log(`${verdict}  ${text}: ${numbers}`);
  return ok ? 0 : 1;
}
