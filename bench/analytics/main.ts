/** The read model at ten million events: each query's latency next to plain SQL, and the follower's throughput. */
import { join } from "node:path";
import { type ControlDatabase, openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { openForReading } from "@tollgate/storage/engine/sqlite";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";
import type { ReadModel } from "@tollgate/storage/read-model/queries";
import { undoOnExit } from "../gateway/at-exit.ts";
import { describeEnvironment } from "../gateway/environment.ts";
import { progress } from "../gateway/progress.ts";
import { temporaryDirectory } from "../gateway/temporary-directory.ts";
import { measureQuestion, type QuestionResult } from "./measure-questions.ts";
import { type AnalyticsOptions, readOptions, usage } from "./options.ts";
import { questions } from "./questions.ts";
import { sampleTraffic } from "./sample-traffic.ts";
import { take } from "./take.ts";
import { writeLedger } from "./write-ledger.ts";

const P95_LIMIT_MS = 200;
const FOLLOWER_MINIMUM = 5000;
const END = Date.parse("2026-11-15T12:34:56.789Z");
/** The share of events that arrives while queries run. */
const WHILE_ASKED = 0.05;

interface Result {
  readonly events: number;
  /** Events per second: alone, and while queries run. */
  readonly follower: { readonly alone: number; readonly whileAsked: number };
  readonly questions: readonly QuestionResult[];
  readonly whileFollowing: readonly QuestionResult[];
}

/** Resolves with the exit code: 0, 1 if a condition does not hold, 2 for invalid arguments. */
export async function runAnalyticsBench(args: readonly string[]): Promise<number> {
  let options: AnalyticsOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : "bad arguments"}\nusage: ${usage}`);
    return 2;
  }
  undoOnExit();
  return report(options, await measure(options));
}

async function measure({ events }: AnalyticsOptions): Promise<Result> {
  const folder = temporaryDirectory("analytics");
  const ledgerPath = join(folder, "ledger.db");
  const first = Math.floor(events * (1 - WHILE_ASKED));
  const traffic = sampleTraffic(events, END);
  progress(`writing ${first.toLocaleString("en-US")} events`);
  writeLedger(ledgerPath, take(traffic, first), bar("written", first));
  const ledger = new LedgerReader(ledgerPath);
  const database = await openControlDatabase({ kind: "sqlite", path: join(folder, "control.db") });
  const model = createReadModel(database, ledger);

  progress("following them into the read model");
  const alone = await followAll(database, ledger, model);

  progress("asking while it follows the rest");
  writeLedger(ledgerPath, take(traffic, events - first), bar("written", events - first));
  const asked = await questions(model, END);
  const whileFollowing: QuestionResult[] = [];
  let isDone = false;
  const following = followAll(database, ledger, model).finally(() => {
    isDone = true;
  });
  for (const question of asked) {
    if (isDone) break;
    whileFollowing.push(await measureQuestion(question, null, 20));
  }
  const whileAsked = await following;

  const raw = openForReading(ledgerPath);
  const results: QuestionResult[] = [];
  for (const question of asked) {
    progress(question.name);
    results.push(await measureQuestion(question, statement => void raw.query(statement).all()));
  }
  raw.close();
  await database.close();
  ledger.close();
  return { events, follower: { alone, whileAsked }, questions: results, whileFollowing };
}

/** Resolves with the events per second, once everything is consumed. */
async function followAll(database: ControlDatabase, ledger: LedgerReader, model: ReadModel): Promise<number> {
  const stop = new AbortController();
  const follower = followReadModel(database, ledger, { onFault: fault => progress(`${fault}`) });
  const all = await model.lag();
  const show = bar("followed", all);
  const started = performance.now();
  const running = follower.run(stop.signal);
  for (let lag = all; lag > 0; lag = await model.lag()) {
    await Bun.sleep(100);
    show(all - lag);
  }
  const perSecond = (all * 1000) / (performance.now() - started);
  show(all);
  stop.abort();
  await running;
  return perSecond;
}

function bar(verb: string, total: number): (done: number) => void {
  const width = 40;
  return done => {
    if (!process.stderr.isTTY) {
      if (done >= total) progress(`${verb} ${done.toLocaleString("en-US")}`);
      return;
    }
    const filled = Math.round((done / total) * width);
    const line = `${"█".repeat(filled)}${"░".repeat(width - filled)} ${verb} ${done.toLocaleString("en-US")}`;
    process.stderr.write(`\r${line}${done >= total ? "\n" : ""}`);
  };
}

function report({ json }: AnalyticsOptions, result: Result): number {
  const slowest = Math.max(...result.questions.map(({ p95Ms }) => p95Ms));
  const rate = Math.min(result.follower.alone, result.follower.whileAsked);
  const conditions = [
    {
      verdict: slowest < P95_LIMIT_MS ? "PASS" : "FAIL",
      text: `every query under ${P95_LIMIT_MS} ms (p95)`,
      numbers: `slowest ${slowest.toFixed(1)} ms`,
    },
    {
      verdict: rate >= FOLLOWER_MINIMUM ? "PASS" : "FAIL",
      text: `the follower derives at least ${FOLLOWER_MINIMUM} events/s, even while queries run`,
      numbers: `${result.follower.alone.toFixed(0)} alone, ${result.follower.whileAsked.toFixed(0)} while asked`,
    },
  ];
  const ok = conditions.every(({ verdict }) => verdict === "PASS");
  const environment = describeEnvironment();
  if (json) {
    console.log(JSON.stringify({ ok, environment, ...result, conditions }, null, 2));
    return ok ? 0 : 1;
  }
  console.log(`\n${environment}; ${result.events.toLocaleString("en-US")} events\n`);
  const whileFollowing = new Map(result.whileFollowing.map(row => [row.name, row.p95Ms]));
  const cell = (ms: number | null | undefined) => (ms == null ? "–" : ms.toFixed(1)).padStart(10);
  console.log(
    `${"".padEnd(52)}${["p50 ms", "p95 ms", "following", "raw SQL"].map(t => t.padStart(10)).join("")}`,
  );
  for (const { name, p50Ms, p95Ms, rawMs } of result.questions) {
    console.log(
      `${name.padEnd(52)}${cell(p50Ms)}${cell(p95Ms)}${cell(whileFollowing.get(name))}${cell(rawMs)}`,
    );
  }
  console.log(
    "\nfollowing: p95 while the follower processes a backlog. raw SQL: the same query over the events, once.\n",
  );
  for (const { verdict, text, numbers } of conditions) console.log(`${verdict}  ${text}: ${numbers}`);
  return ok ? 0 : 1;
}
