/** The read model's queries at ten million events, next to plain SQL over the raw events. */
import { join } from "node:path";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { openForReading } from "@tollgate/storage/engine/sqlite";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { bytesPerEvent, describeSize } from "../data/build-data.ts";
import { type PreparedData, prepareData } from "../data/prepare-data.ts";
import { END } from "../data/staged-fleet.ts";
import { toolModels } from "../data/tool-traffic.ts";
import { describeEnvironment } from "../kit/environment.ts";
import { progress } from "../kit/progress.ts";
import { measureQuestion, type QuestionResult } from "./measure-questions.ts";
import { questions } from "./questions.ts";

const P95_LIMIT_MS = 200;
/** With more events, one query over all of them takes minutes. */
const MOST_RAW_EVENTS = 10_000_000;

/** Resolves with the exit code: 0, 1 if a condition does not hold, 2 for invalid arguments. */
export async function runAnalyticsBench(args: readonly string[]): Promise<number> {
  const data = await prepareData("analytics", args);
  return data === null ? 2 : report(data, await measure(data));
}

async function measure({ folder, events }: PreparedData): Promise<QuestionResult[]> {
  const ledgerPath = join(folder, "ledger.db");
  const ledger = new LedgerReader(ledgerPath);
  const database = await openControlDatabase({ kind: "sqlite", path: join(folder, "control.db") });
  const raw = openForReading(ledgerPath);
  const runRaw = events > MOST_RAW_EVENTS ? null : (statement: string) => void raw.query(statement).all();
  const names = toolModels.map(([, name]) => name);
  const results: QuestionResult[] = [];
  for (const question of await questions(createReadModel(database, ledger), END, names)) {
    progress(question.name);
    results.push(await measureQuestion(question, runRaw));
  }
  raw.close();
  await database.close();
  ledger.close();
  return results;
}

function report({ json, folder, events }: PreparedData, results: readonly QuestionResult[]): number {
  const slow = results.filter(({ p95Ms }) => !(p95Ms < P95_LIMIT_MS));
  const slowest = Math.max(...results.map(({ p95Ms }) => p95Ms));
  const ok = slow.length === 0;
  const environment = describeEnvironment();
  if (json) {
    const sizes = { events, bytesPerEvent: bytesPerEvent(folder, events) };
    console.log(JSON.stringify({ ok, environment, ...sizes, questions: results }, null, 2));
    return ok ? 0 : 1;
  }
  console.log(
    `\n${environment}; ${events.toLocaleString("en-US")} events\n${describeSize(folder, events)}\n`,
  );
  const cell = (ms: number | null) => (ms === null ? "–" : ms.toFixed(1)).padStart(10);
  console.log(`${"".padEnd(52)}${["p50 ms", "p95 ms", "raw SQL"].map(title => title.padStart(10)).join("")}`);
  for (const { name, p50Ms, p95Ms, rawMs } of results) {
    console.log(`${name.padEnd(52)}${cell(p50Ms)}${cell(p95Ms)}${cell(rawMs)}`);
  }
  console.log("\nraw SQL: the same query over the events, once; up to ten million events.\n");
  const numbers = ok
    ? `slowest ${slowest.toFixed(1)} ms`
    : `over it: ${slow.map(({ name, p95Ms }) => `${name} ${p95Ms.toFixed(0)} ms`).join(", ")}`;
  console.log(`${ok ? "PASS" : "FAIL"}  every query under ${P95_LIMIT_MS} ms (p95): ${numbers}`);
  return ok ? 0 : 1;
}
