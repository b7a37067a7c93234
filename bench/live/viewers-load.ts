/**
 * The viewers and the calls that they see. Calls are sent by the clock, not when the last one ended, so that a channel
 * which falls behind gets no relief. Every message of every viewer is a measurement.
 */
import { CHAT_PATH, callBody } from "../gateway/generator/chat-request.ts";
import { type GeneratorChannel, runAsGenerator } from "../gateway/generator/generator-channel.ts";
import { percentile } from "../kit/percentile.ts";
import { clockMs, sentAtMs } from "./clock-id.ts";
import { openViewers, type ViewersOptions } from "./open-viewers.ts";

export interface LoadOptions extends ViewersOptions {
  readonly gateway: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly callsPerSecond: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  readonly maxSeconds: number;
}

export interface LoadResult {
  readonly calls: number;
  readonly failedCalls: number;
  readonly seconds: number;
  /** `events` messages of all viewers. */
  readonly messages: number;
  /** calls × viewers − messages: must be 0. */
  readonly missing: number;
  readonly closed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const LAST_MS = 5000;
const AGENTS = 10;
const SESSIONS = 40;

async function run(options: LoadOptions, channel: GeneratorChannel<LoadResult>): Promise<LoadResult> {
  let times: number[] = [];
  let closed = 0;
  await openViewers(
    options,
    text => {
      if (!text.startsWith('{"channel":"events"')) return;
      const sentAt = sentAtMs(text);
      if (sentAt !== null) times.push(clockMs() - sentAt);
    },
    () => {
      closed += 1;
    },
  );
  await sendCalls(options, options.warmupSeconds);
  await arrived(() => false, 1000);
  await channel.ready();
  times = [];
  const { calls, failedCalls, seconds } = await sendCalls(options, options.seconds);
  const expected = (calls - failedCalls) * options.viewers;
  await arrived(() => times.length >= expected, LAST_MS);
  const ascending = Float64Array.from(times).sort();
  const at = (fraction: number) => percentile(ascending, fraction) ?? Number.NaN;
  return {
    calls,
    failedCalls,
    seconds,
    messages: times.length,
    missing: expected - times.length,
    closed,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
  };
}

async function sendCalls({ gateway, headers, callsPerSecond }: LoadOptions, seconds: number) {
  const startedAt = performance.now();
  const open: Promise<void>[] = [];
  let failedCalls = 0;
  const calls = Math.round(callsPerSecond * seconds);
  for (let call = 0; call < calls; call++) {
    const due = startedAt + (call * 1000) / callsPerSecond;
    const wait = due - performance.now();
    if (wait > 0) await Bun.sleep(wait);
    const named = new Headers(headers);
    named.set("content-type", "application/json");
    named.set("x-agent-id", `agent-${call % AGENTS}`);
    named.set("x-session-id", `session-${call % SESSIONS}`);
    const sent = fetch(new URL(CHAT_PATH, gateway), { method: "POST", headers: named, body: callBody })
      .then(async answer => {
        await answer.arrayBuffer();
        if (answer.status !== 200) failedCalls += 1;
      })
      .catch(() => {
        failedCalls += 1;
      });
    open.push(sent);
  }
  await Promise.all(open);
  return { calls, failedCalls, seconds: (performance.now() - startedAt) / 1000 };
}

async function arrived(isThere: () => boolean, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (!isThere() && performance.now() < until) await Bun.sleep(10);
}

await runAsGenerator<LoadOptions, LoadResult>(run);
