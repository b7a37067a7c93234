/**
 * An open-loop load generator, in its own process: a fixed number of calls per second, whatever the target does. A call
 * that finds no free connection waits, and that time is part of its latency: a slow target cannot hide.
 */

import { percentile } from "../../kit/percentile.ts";
import { type Address, callBody, requestBytes } from "./chat-request.ts";
import { ClientConnection } from "./client-connection.ts";
import { type GeneratorChannel, runAsGenerator } from "./generator-channel.ts";

export interface PacedLoadOptions {
  readonly address: Address;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly callsPerSecond: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  readonly maxSeconds: number;
}

export interface PacedLoadResult {
  readonly calls: number;
  readonly seconds: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

const TICK_MS = 1;

async function keepPace(options: PacedLoadOptions, seconds: number, latenciesNs: number[]): Promise<number> {
  const request = requestBytes(options.address, options.headers, callBody);
  const total = Math.round(options.callsPerSecond * seconds);
  const gapNs = 1e9 / options.callsPerSecond;
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  const free: { start(fromNs: number): void }[] = [];
  const all: ClientConnection[] = [];
  let answered = 0;
  for (let index = 0; index < options.connections; index += 1) {
    let startedNs = 0;
    const connection = new ClientConnection(options.address, {
      body: () => {},
      end: () => {
        latenciesNs.push(Bun.nanoseconds() - startedNs);
        free.push(lane);
        answered += 1;
        if (answered === total) resolve();
      },
      failed: reason => reject(new Error(reason)),
    });
    const lane = {
      start(fromNs: number): void {
        startedNs = fromNs;
        if (connection.isOpen) connection.send(request);
        else connection.open().then(() => connection.send(request), reject);
      },
    };
    all.push(connection);
    free.push(lane);
  }

  const beganNs = Bun.nanoseconds();
  let issued = 0;
  let blockedNs: number | null = null;
  const timer = setInterval(() => {
    for (; issued < total && beganNs + issued * gapNs <= Bun.nanoseconds(); issued += 1) {
      const lane = free.pop();
      if (lane === undefined) {
        blockedNs ??= Bun.nanoseconds();
        return;
      }
      lane.start(blockedNs ?? Bun.nanoseconds());
    }
    blockedNs = null;
  }, TICK_MS);
  try {
    await finished;
  } finally {
    clearInterval(timer);
    for (const connection of all) connection.close();
  }
  return (Bun.nanoseconds() - beganNs) / 1e9;
}

async function runPacedLoad(
  options: PacedLoadOptions,
  channel: GeneratorChannel<PacedLoadResult>,
): Promise<PacedLoadResult> {
  await keepPace(options, options.warmupSeconds, []);
  await channel.ready();
  const latenciesNs: number[] = [];
  const seconds = await keepPace(options, options.seconds, latenciesNs);
  const ascending = latenciesNs.toSorted((a, b) => a - b);
  const p50Ns = percentile(ascending, 0.5);
  const p99Ns = percentile(ascending, 0.99);
  if (p50Ns === null || p99Ns === null) throw new Error("no call was answered");
  return { calls: ascending.length, seconds, p50Us: p50Ns / 1000, p99Us: p99Ns / 1000 };
}

await runAsGenerator(runPacedLoad);
