/** The live channel: the delay until viewers see a call, and the cost of idle viewers. */
import { join } from "node:path";
import { runGenerator } from "../gateway/generator/run-generator.ts";
import { type RunningTollgate, startTollgate } from "../gateway/targets/tollgate.ts";
import { undoOnExit } from "../kit/at-exit.ts";
import { describeEnvironment } from "../kit/environment.ts";
import { median } from "../kit/percentile.ts";
import { cpuMs, listenersOn, processTree, residentMb } from "../kit/process-stats.ts";
import { progress } from "../kit/progress.ts";
import type { IdleOptions, IdleResult } from "./idle-viewers.ts";
import { type LiveOptions, readOptions, usage } from "./options.ts";
import { startTimedProvider } from "./start-timed-provider.ts";
import type { LoadOptions, LoadResult } from "./viewers-load.ts";

const VIEWERS = 200;
const CALLS_PER_SECOND = 200;
const IDLE_VIEWERS = 2000;
const P99_LIMIT_MS = 100;
const IDLE_LIMIT_MB = 100;
const READINGS = 20;
const READING_EVERY_MS = 250;

interface Result {
  readonly load: LoadResult;
  /** Of one core, during the load. */
  readonly controlCpuPct: number;
  readonly memory: { readonly noneMb: number; readonly idleMb: number; readonly closed: number };
}

/** Resolves with the exit code: 0, 1 if a condition does not hold, 2 for invalid arguments. */
export async function runLiveBench(args: readonly string[]): Promise<number> {
  let options: LiveOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : "bad arguments"}\nusage: ${usage}`);
    return 2;
  }
  undoOnExit();
  const provider = await startTimedProvider();
  const tollgate = await startTollgate(provider);
  const result = await measure(tollgate, options.quick);
  await tollgate.stop();
  await provider.stop();
  return report(options, result);
}

async function measure(tollgate: RunningTollgate, isQuick: boolean): Promise<Result> {
  const control = listenersOn(Number(tollgate.web.port), processTree(tollgate.pid));
  if (control.length === 0) throw new Error("the control plane cannot be found");
  const { hostname, port } = tollgate.address;
  const load: LoadOptions = {
    web: tollgate.web.href,
    key: tollgate.key,
    gateway: `http://${hostname}:${port}`,
    headers: tollgate.headers,
    viewers: VIEWERS,
    callsPerSecond: CALLS_PER_SECOND,
    warmupSeconds: isQuick ? 2 : 10,
    seconds: isQuick ? 5 : 30,
    maxSeconds: 120,
  };
  // First, because a heap that has grown under load would hide the memory of the viewers.
  progress("the control plane's memory without viewers");
  const noneMb = await settledMb(control);
  progress(`and with ${IDLE_VIEWERS} idle ones`);
  let idleMb = Number.NaN;
  const idle: IdleOptions = {
    web: load.web,
    key: load.key,
    viewers: IDLE_VIEWERS,
    maxSeconds: 60,
  };
  const { closed } = await runGenerator<IdleOptions, IdleResult>(
    join(import.meta.dir, "idle-viewers.ts"),
    idle,
    {
      ready: async () => {
        idleMb = await settledMb(control);
      },
    },
  );

  progress(`${VIEWERS} viewers, ${CALLS_PER_SECOND} calls/s, ${load.seconds} s`);
  let before = 0;
  let startedAt = 0;
  const loaded = await runGenerator<LoadOptions, LoadResult>(join(import.meta.dir, "viewers-load.ts"), load, {
    ready: () => {
      before = cpuMs(control);
      startedAt = performance.now();
    },
  });
  const controlCpuPct = ((cpuMs(control) - before) / (performance.now() - startedAt)) * 100;

  return { load: loaded, controlCpuPct, memory: { noneMb, idleMb, closed } };
}

/** A single reading varies with the garbage collector, so this is the median over five seconds. */
async function settledMb(pids: readonly number[]): Promise<number> {
  const readings: number[] = [];
  for (let reading = 0; reading < READINGS; reading++) {
    await Bun.sleep(READING_EVERY_MS);
    readings.push(residentMb(pids));
  }
  return median(readings) ?? Number.NaN;
}

function report({ json, quick }: LiveOptions, { load, controlCpuPct, memory }: Result): number {
  const more = memory.idleMb - memory.noneMb;
  const verdict = (holds: boolean) => (holds ? "PASS" : "FAIL");
  const conditions = [
    {
      verdict: verdict(load.p99Ms < P99_LIMIT_MS),
      text: `from the provider's last byte to a viewer under ${P99_LIMIT_MS} ms (p99)`,
      numbers: `p50 ${load.p50Ms.toFixed(1)} ms, p99 ${load.p99Ms.toFixed(1)} ms, longest ${load.maxMs.toFixed(1)} ms`,
    },
    {
      verdict: verdict(load.missing === 0 && load.failedCalls === 0 && load.closed === 0),
      text: "every viewer sees every call once, and stays connected",
      numbers: `${load.calls} calls, ${load.failedCalls} failed, ${load.messages} messages, ${load.missing} missing, ${load.closed} viewers closed`,
    },
    {
      verdict: verdict(more < IDLE_LIMIT_MB && memory.closed === 0),
      text: `${IDLE_VIEWERS} idle viewers cost under ${IDLE_LIMIT_MB} MB`,
      numbers: `${memory.noneMb.toFixed(0)} MB without, ${memory.idleMb.toFixed(0)} MB with them: ${more.toFixed(0)} MB, ${memory.closed} closed`,
    },
  ];
  const ok = conditions.every(condition => condition.verdict === "PASS");
  const environment = describeEnvironment();
  if (json) {
    console.log(JSON.stringify({ ok, quick, environment, load, controlCpuPct, memory, conditions }, null, 2));
    return ok ? 0 : 1;
  }
  console.log(`\n${environment}${quick ? "; --quick: a sixth of the calls, rougher numbers" : ""}\n`);
  console.log(
    `${VIEWERS} viewers of all channels, ${(load.calls / load.seconds).toFixed(0)} calls/s for ${load.seconds.toFixed(0)} s; the control plane used ${controlCpuPct.toFixed(0)} % of a core\n`,
  );
  for (const { verdict, text, numbers } of conditions) console.log(`${verdict}  ${text}: ${numbers}`);
  return ok ? 0 : 1;
}
