/** The throughput of webhook deliveries, and their effect on the latency of calls. */
import { parseArgs } from "node:util";
import type { LoadOptions, LoadResult } from "../gateway/generator/load.ts";
import type { PacedLoadOptions, PacedLoadResult } from "../gateway/generator/paced-load.ts";
import { runGenerator } from "../gateway/generator/run-generator.ts";
import { targetProcesses } from "../gateway/measures/target-processes.ts";
import { startFakeUpstream } from "../gateway/targets/direct.ts";
import { type RunningTollgate, startTollgate } from "../gateway/targets/tollgate.ts";
import { undoOnExit } from "../kit/at-exit.ts";
import { describeEnvironment } from "../kit/environment.ts";
import { median } from "../kit/percentile.ts";
import { progress } from "../kit/progress.ts";
import { Customer } from "./customer.ts";

const usage = "bench webhooks [--quick] [--json]";
const MIN_DELIVERIES_PER_SECOND = 1000;
const MAX_SLOWED = 1.05;
/** Slightly more than the required rate, so that keeping up proves it. */
const CALLS_PER_SECOND = 1100;

interface Sizes {
  readonly backlog: number;
  readonly rounds: number;
  readonly seconds: number;
}

interface Result {
  readonly backlogPerSecond: number;
  readonly keptUpPerSecond: number;
  readonly without: { readonly p50Us: number; readonly p99Us: number };
  readonly with: { readonly p50Us: number; readonly p99Us: number };
  /** The median over the rounds of with ÷ without, each pair seconds apart. */
  readonly slowed: number;
}

/** Resolves with the exit code: 0, 1 if a condition does not hold, 2 for invalid arguments. */
export async function runWebhooksBench(args: readonly string[]): Promise<number> {
  let options: { quick: boolean; json: boolean };
  try {
    const flag = { type: "boolean", default: false } as const;
    options = parseArgs({ args: [...args], options: { quick: flag, json: flag } }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : "bad arguments"}\nusage: ${usage}`);
    return 2;
  }
  undoOnExit();
  const sizes = options.quick
    ? { backlog: 4000, rounds: 3, seconds: 3 }
    : { backlog: 20_000, rounds: 9, seconds: 6 };
  return report(await measure(sizes), options.json);
}

async function measure(sizes: Sizes): Promise<Result> {
  const upstream = await startFakeUpstream();
  const customer = await Customer.start();
  const tollgate = await startTollgate(upstream, { settings: { SVC_ALLOWED_PRIVATE_TARGETS: "127.0.0.1" } });
  try {
    const webhook = await register(tollgate, customer.url);
    const backlogPerSecond = await drainBacklog(tollgate, customer, sizes.backlog);
    const turns = { with: [] as PacedLoadResult[], without: [] as PacedLoadResult[] };
    const keptUp: number[] = [];
    for (let round = 0; round < sizes.rounds; round += 1) {
      progress(`calls with and without deliveries, round ${round + 1} of ${sizes.rounds}`);
      // The first one in a round finds a quieter machine, so they alternate.
      const order = round % 2 === 0 ? ([true, false] as const) : ([false, true] as const);
      for (const isOn of order) {
        await api(tollgate, "PATCH", `webhooks/${webhook}`, { enabled: isOn });
        await customer.forget();
        const result = await pacedCalls(tollgate, sizes.seconds);
        if (isOn) {
          const { count, firstAt, lastAt } = await customer.wait(result.calls, 30);
          keptUp.push((count - 1) / ((lastAt - firstAt) / 1000));
        }
        turns[isOn ? "with" : "without"].push(result);
      }
    }
    const ratios = turns.with.map(
      (result, round) => result.p50Us / (turns.without[round]?.p50Us ?? Number.NaN),
    );
    return {
      backlogPerSecond,
      keptUpPerSecond: medianOf(keptUp),
      without: typical(turns.without),
      with: typical(turns.with),
      slowed: medianOf(ratios),
    };
  } finally {
    await tollgate.stop();
    await customer.stop();
    await upstream.stop();
  }
}

/** The control plane is paused while calls are made; then it delivers all of them. */
async function drainBacklog(tollgate: RunningTollgate, customer: Customer, calls: number): Promise<number> {
  progress(`${calls.toLocaleString("en-US")} calls while the sender sleeps, then their deliveries`);
  const { others } = targetProcesses(tollgate);
  const control = others.filter(pid => pid !== tollgate.pid);
  for (const pid of control) process.kill(pid, "SIGSTOP");
  try {
    await runGenerator<LoadOptions, LoadResult>("load.ts", {
      address: tollgate.address,
      headers: tollgate.headers,
      connections: 32,
      warmupCalls: 0,
      calls,
      maxSeconds: 120,
      progressEvery: calls,
    });
  } finally {
    for (const pid of control) process.kill(pid, "SIGCONT");
  }
  const { count, firstAt, lastAt } = await customer.wait(calls, 180);
  return (count - 1) / ((lastAt - firstAt) / 1000);
}

function pacedCalls(tollgate: RunningTollgate, seconds: number): Promise<PacedLoadResult> {
  return runGenerator<PacedLoadOptions, PacedLoadResult>("paced-load.ts", {
    address: tollgate.address,
    headers: tollgate.headers,
    connections: 64,
    callsPerSecond: CALLS_PER_SECOND,
    warmupSeconds: 1,
    seconds,
    maxSeconds: 60,
  });
}

async function register(tollgate: RunningTollgate, url: string): Promise<string> {
  const registered = await api(tollgate, "POST", `webhooks/generic/${tollgate.orgId}`, {
    url,
    events: ["event.created"],
    secret: "a secret of the bench",
  });
  if (typeof registered.id !== "string") throw new Error("the registration has no id");
  return registered.id;
}

async function api(tollgate: RunningTollgate, method: string, path: string, body: unknown) {
  const answer = await fetch(new URL(`/api/${path}`, tollgate.web), {
    method,
    headers: { authorization: `Bearer ${tollgate.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}`);
  return (await answer.json()) as Record<string, unknown>;
}

function typical(rounds: readonly PacedLoadResult[]): { p50Us: number; p99Us: number } {
  return {
    p50Us: medianOf(rounds.map(({ p50Us }) => p50Us)),
    p99Us: medianOf(rounds.map(({ p99Us }) => p99Us)),
  };
}

function medianOf(values: readonly number[]): number {
  return median(values) ?? Number.NaN;
}

function report(result: Result, asJson: boolean): number {
  const conditions = [
    {
      text: `at least ${MIN_DELIVERIES_PER_SECOND} deliveries a second, from a backlog and during calls`,
      holds: Math.min(result.backlogPerSecond, result.keptUpPerSecond) >= MIN_DELIVERIES_PER_SECOND,
    },
    {
      text: `calls are slowed by at most 5 % (median latency, measured alternately)`,
      holds: result.slowed <= MAX_SLOWED,
    },
  ];
  const ok = conditions.every(({ holds }) => holds);
  const environment = describeEnvironment();
  if (asJson) {
    console.log(JSON.stringify({ ok, environment, result, conditions }, null, 2));
    return ok ? 0 : 1;
  }
  const whole = (value: number) => Math.round(value).toLocaleString("en-US");
  console.log(`
${environment}

deliveries a second, from a backlog          ${whole(result.backlogPerSecond)}
deliveries a second, beside ${CALLS_PER_SECOND} calls a second  ${whole(result.keptUpPerSecond)}
a call without webhooks, p50 / p99, µs       ${whole(result.without.p50Us)} / ${whole(result.without.p99Us)}
a call with webhooks, p50 / p99, µs          ${whole(result.with.p50Us)} / ${whole(result.with.p99Us)}
slowed by (median of the rounds)             ${result.slowed.toFixed(3)} ×
`);
  for (const { text, holds } of conditions) console.log(`${holds ? "PASS" : "FAIL"}  ${text}`);
  return ok ? 0 : 1;
}
