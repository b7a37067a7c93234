/**
 * The load generator, in its own process: N connections, each sending its next call when the last one was answered.
 * Every latency is stored (the count is bounded), so percentiles are exact.
 */

import { percentile } from "../../kit/percentile.ts";
import { type Address, callBody, requestBytes } from "./chat-request.ts";
import { ClientConnection } from "./client-connection.ts";
import { type GeneratorChannel, runAsGenerator } from "./generator-channel.ts";

export interface LoadOptions {
  readonly address: Address;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly warmupCalls: number;
  readonly calls: number;
  /** No new call starts after this: a slow target ends with fewer calls, not with a longer run. */
  readonly maxSeconds: number;
  readonly progressEvery: number;
}

export interface LoadResult {
  readonly calls: number;
  readonly seconds: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

interface Phase {
  readonly calls: number;
  readonly deadlineNs: number;
  /** Called with the latency of each answered call. */
  readonly answered: (latencyNs: number) => void;
}

/** One closed loop over all connections; resolves with the number of answered calls once none is open. */
async function runPhase(options: LoadOptions, phase: Phase): Promise<number> {
  const request = requestBytes(options.address, options.headers, callBody);
  let issued = 0;
  let answered = 0;
  const { promise: broken, reject } = Promise.withResolvers<never>();

  const runConnection = async (): Promise<void> => {
    const { promise: finished, resolve } = Promise.withResolvers<void>();
    let startedNs = 0;
    const next = (): void => {
      if (issued >= phase.calls || Bun.nanoseconds() >= phase.deadlineNs) {
        resolve();
        return;
      }
      issued += 1;
      if (connection.isOpen) send();
      else connection.open().then(send, reject);
    };
    const send = (): void => {
      startedNs = Bun.nanoseconds();
      connection.send(request);
    };
    const connection = new ClientConnection(options.address, {
      body: () => {},
      end: () => {
        answered += 1;
        phase.answered(Bun.nanoseconds() - startedNs);
        next();
      },
      failed: reason => reject(new Error(reason)),
    });
    next();
    await finished;
    connection.close();
  };

  const connections = Array.from({ length: options.connections }, runConnection);
  await Promise.race([Promise.all(connections), broken]);
  return answered;
}

async function runLoad(options: LoadOptions, channel: GeneratorChannel<LoadResult>): Promise<LoadResult> {
  const budgetNs = options.maxSeconds * 1e9;
  await runPhase(options, {
    calls: options.warmupCalls,
    deadlineNs: Bun.nanoseconds() + budgetNs,
    answered: () => {},
  });
  await channel.ready();

  const latenciesNs = new Float64Array(options.calls);
  let done = 0;
  const startedNs = Bun.nanoseconds();
  const calls = await runPhase(options, {
    calls: options.calls,
    deadlineNs: startedNs + budgetNs,
    answered: latencyNs => {
      latenciesNs[done] = latencyNs;
      done += 1;
      if (done % options.progressEvery === 0) channel.say({ event: "progress", done });
    },
  });
  const seconds = (Bun.nanoseconds() - startedNs) / 1e9;

  const ascending = latenciesNs.subarray(0, done).sort();
  const p50Ns = percentile(ascending, 0.5);
  const p99Ns = percentile(ascending, 0.99);
  if (p50Ns === null || p99Ns === null) throw new Error("no call was answered");
  return { calls, seconds, p50Us: p50Ns / 1000, p99Us: p99Ns / 1000 };
}

await runAsGenerator(runLoad);
