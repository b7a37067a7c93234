/** How fast the read model and the profile follow a busy ledger, and how much CPU they need per event. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  type Engine,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followProfile } from "@tollgate/storage/profile/follow-profile";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { sql } from "kysely";
import { freshPostgres } from "../../test/support/servers/postgres.ts";
import { type Question, questions } from "../analytics/questions.ts";
import { models } from "../data/sample-traffic.ts";
import { take } from "../data/take.ts";
import { writeLedger } from "../data/write-ledger.ts";
import { undoOnExit } from "../kit/at-exit.ts";
import { describeEnvironment } from "../kit/environment.ts";
import { percentile } from "../kit/percentile.ts";
import { cpuMs, processTree, residentMb } from "../kit/process-stats.ts";
import { progress } from "../kit/progress.ts";
import { temporaryDirectory } from "../kit/temporary-directory.ts";
import { busyTraffic } from "./busy-traffic.ts";
import { writeRateCard } from "./write-rate-card.ts";

const END = Date.parse("2026-11-15T12:34:56.789Z");
const usage = "bench following [--events N] [--engine sqlite|postgres] [--json]";
/** Events per second, of read model and profile together, while queries run. */
const minimum: Readonly<Record<Engine, number>> = { sqlite: 30_000, postgres: 15_000 };
/** The pause between two queries of the one user. */
const PAUSE_MS = 20;

interface Phase {
  readonly eventsPerSecond: number;
  /** CPU of this process and of PostgreSQL's, per event. */
  readonly ownMicros: number;
  readonly postgresMicros: number;
}

interface Result {
  readonly engine: Engine;
  readonly events: number;
  readonly readModel: Phase;
  readonly profile: Phase;
  /** Both at once, while queries run. */
  readonly both: Phase;
  readonly queries: { readonly count: number; readonly p95Ms: number | null };
  readonly residentMb: number;
}

/** Resolves with the exit code: 0, 1 if a condition does not hold, 2 for invalid arguments. */
export async function runFollowingBench(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options === null) {
    console.error(`usage: ${usage}`);
    return 2;
  }
  undoOnExit();
  const results: Result[] = [];
  for (const engine of options.engines) results.push(await measure(engine, options.events));
  return report(results, options.json);
}

/** null: invalid. */
function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        events: { type: "string", default: "200000" },
        engine: { type: "string", default: "sqlite,postgres" },
        json: { type: "boolean", default: false },
      },
    });
    const events = Number(values.events);
    const engines = values.engine.split(",");
    if (!Number.isSafeInteger(events) || events < 1000 || !engines.every(isEngine)) return null;
    return { events, engines, json: values.json };
  } catch {
    return null;
  }
}

const isEngine = (text: string): text is Engine => text === "sqlite" || text === "postgres";

async function measure(engine: Engine, events: number): Promise<Result> {
  const folder = temporaryDirectory("following");
  const ledgerPath = join(folder, "ledger.db");
  const traffic = busyTraffic(events, END);
  const half = Math.floor(events / 2);
  progress(`${engine}: writing ${events.toLocaleString("en-US")} events`);
  writeLedger(ledgerPath, take(traffic, half), () => {});
  writeRateCard(ledgerPath);
  const ledger = new LedgerReader(ledgerPath);
  const database = await openControlDatabase(await place(engine, folder));
  const postgres = engine === "postgres" ? await postmasterOf(database) : null;
  const onFault = (fault: unknown) => progress(`${fault}`);
  const readModelFollower = followReadModel(database, ledger, { onFault });
  const profileFollower = followProfile(database, ledger, { onFault, contextWindowOf: () => 128_000 });
  const measured = (count: number, work: () => Promise<unknown>) => phase(count, postgres, work);

  progress(`${engine}: deriving the first half, one reader after the other`);
  const readModel = await measured(half, () => readModelFollower.catchUp());
  const profile = await measured(half, () => profileFollower.catchUp());

  progress(`${engine}: deriving the second half, both readers at once, while queries run`);
  writeLedger(ledgerPath, traffic, () => {});
  const stop = new AbortController();
  const times: number[] = [];
  const asked = await questions(
    createReadModel(database, ledger),
    END,
    models.map(({ model }) => model),
  );
  const both = await measured(events - half, async () => {
    const running = [readModelFollower.run(stop.signal), profileFollower.run(stop.signal)];
    const asking = askUntil(stop.signal, asked, times);
    while (readModelFollower.lag > 0 || profileFollower.lag > 0) await Bun.sleep(10);
    stop.abort();
    await Promise.all([...running, asking]);
  });
  const resident = residentMb([process.pid]);
  await database.close();
  ledger.close();
  const queries = {
    count: times.length,
    p95Ms: percentile(
      times.sort((a, b) => a - b),
      0.95,
    ),
  };
  return { engine, events, readModel, profile, both, queries, residentMb: resident };
}

async function place(engine: Engine, folder: string): Promise<ControlDatabaseOptions> {
  if (engine === "sqlite") return { kind: "sqlite", path: join(folder, "control.db") };
  return { kind: "postgres", url: (await freshPostgres()).url };
}

async function postmasterOf({ db }: ControlDatabase): Promise<number> {
  const { rows } = await sql<{ text: string }>`SELECT pg_read_file('postmaster.pid') AS text`.execute(db);
  return Number.parseInt(rows[0]?.text ?? "", 10);
}

async function phase(events: number, postgres: number | null, work: () => Promise<unknown>): Promise<Phase> {
  const postgresMs = () => (postgres === null ? 0 : cpuMs(processTree(postgres)));
  const before = { own: process.cpuUsage(), postgresMs: postgresMs(), at: performance.now() };
  await work();
  const seconds = (performance.now() - before.at) / 1000;
  const own = process.cpuUsage(before.own);
  return {
    eventsPerSecond: events / seconds,
    ownMicros: (own.user + own.system) / events,
    postgresMicros: ((postgresMs() - before.postgresMs) * 1000) / events,
  };
}

async function askUntil(signal: AbortSignal, asked: readonly Question[], times: number[]): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    const started = performance.now();
    await asked[turn % asked.length]?.ask(turn);
    times.push(performance.now() - started);
    await Bun.sleep(PAUSE_MS);
  }
}

function report(results: readonly Result[], json: boolean): number {
  const ok = results.every(({ engine, both }) => both.eventsPerSecond >= minimum[engine]);
  if (json) {
    console.log(JSON.stringify({ ok, environment: describeEnvironment(), results }, null, 2));
    return ok ? 0 : 1;
  }
  console.log(`\n${describeEnvironment()}`);
  for (const { engine, events, residentMb, queries, ...phases } of results) {
    console.log(`\n${engine}, ${events.toLocaleString("en-US")} events`);
    console.log(`${"".padEnd(32)}  events/s   own µs   PostgreSQL µs`);
    for (const [name, { eventsPerSecond, ownMicros, postgresMicros }] of [
      ["read model", phases.readModel],
      ["profile", phases.profile],
      ["both, while queries run", phases.both],
    ] as const) {
      const numbers = `${eventsPerSecond.toFixed(0).padStart(10)}${ownMicros.toFixed(1).padStart(9)}`;
      console.log(`${name.padEnd(32)}${numbers}${postgresMicros.toFixed(1).padStart(16)}`);
    }
    console.log(
      `${queries.count} queries, p95 ${queries.p95Ms?.toFixed(1)} ms; ${residentMb.toFixed(0)} MB resident`,
    );
    const verdict = phases.both.eventsPerSecond >= minimum[engine] ? "PASS" : "FAIL";
    console.log(`${verdict}  at least ${minimum[engine]} events/s on ${engine} while queries run`);
  }
  return ok ? 0 : 1;
}
