/**
 * N streams at a time, each connection starting its next stream when the last one ended. Starts are spread over the
 * length of a stream: 300 requests in one millisecond would measure a queue, not the time to the first chunk.
 */

import { percentile } from "../../kit/percentile.ts";
import { CHUNKS_PER_STREAM } from "../upstream/fake-answers.ts";
import { type Address, requestBytes, streamBody } from "./chat-request.ts";
import { ClientConnection } from "./client-connection.ts";
import { type GeneratorChannel, runAsGenerator } from "./generator-channel.ts";

export interface StreamsLoadOptions {
  readonly address: Address;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly warmupStreams: number;
  readonly streams: number;
  readonly maxSeconds: number;
  readonly rampMs: number;
}

export interface StreamsLoadResult {
  readonly streams: number;
  readonly seconds: number;
  readonly firstChunkP50Us: number;
  readonly firstChunkP99Us: number;
}

const FRAME = "data:";
const END_MARK = "[DONE]";

interface Phase {
  readonly streams: number;
  readonly deadlineNs: number;
  readonly firstChunk: (waitNs: number) => void;
}

async function runPhase(options: StreamsLoadOptions, phase: Phase): Promise<number> {
  const request = requestBytes(options.address, options.headers, streamBody);
  let issued = 0;
  let ended = 0;
  const { promise: broken, reject } = Promise.withResolvers<never>();

  const runConnection = async (index: number): Promise<void> => {
    await Bun.sleep((options.rampMs * index) / options.connections);
    const { promise: finished, resolve } = Promise.withResolvers<void>();
    let startedNs = 0;
    let frames = 0;
    let marked = false;
    const next = (): void => {
      if (issued >= phase.streams || Bun.nanoseconds() >= phase.deadlineNs) {
        resolve();
        return;
      }
      issued += 1;
      if (connection.isOpen) send();
      else connection.open().then(send, reject);
    };
    const send = (): void => {
      frames = 0;
      marked = false;
      startedNs = Bun.nanoseconds();
      connection.send(request);
    };
    const connection = new ClientConnection(options.address, {
      body: piece => {
        if (frames === 0) phase.firstChunk(Bun.nanoseconds() - startedNs);
        frames += countFrames(piece);
        marked ||= piece.includes(END_MARK);
      },
      end: () => {
        // A target that drops or merges chunks would look cheap, so it must be detected.
        if (frames < CHUNKS_PER_STREAM || !marked) reject(new Error(`a stream ended after ${frames} chunks`));
        ended += 1;
        next();
      },
      failed: reason => reject(new Error(reason)),
    });
    next();
    await finished;
    connection.close();
  };

  const connections = Array.from({ length: options.connections }, (_, index) => runConnection(index));
  await Promise.race([Promise.all(connections), broken]);
  return ended;
}

function countFrames(piece: Buffer): number {
  let frames = 0;
  for (let at = piece.indexOf(FRAME); at >= 0; at = piece.indexOf(FRAME, at + FRAME.length)) frames += 1;
  return frames;
}

async function runStreams(
  options: StreamsLoadOptions,
  channel: GeneratorChannel<StreamsLoadResult>,
): Promise<StreamsLoadResult> {
  const budgetNs = options.maxSeconds * 1e9;
  await runPhase(options, {
    streams: options.warmupStreams,
    deadlineNs: Bun.nanoseconds() + budgetNs,
    firstChunk: () => {},
  });
  await channel.ready();

  const waits: number[] = [];
  const startedNs = Bun.nanoseconds();
  const streams = await runPhase(options, {
    streams: options.streams,
    deadlineNs: startedNs + budgetNs,
    firstChunk: waitNs => {
      waits.push(waitNs);
    },
  });
  const seconds = (Bun.nanoseconds() - startedNs) / 1e9;

  waits.sort((a, b) => a - b);
  const p50Ns = percentile(waits, 0.5);
  const p99Ns = percentile(waits, 0.99);
  if (p50Ns === null || p99Ns === null) throw new Error("no stream started");
  return { streams, seconds, firstChunkP50Us: p50Ns / 1000, firstChunkP99Us: p99Ns / 1000 };
}

await runAsGenerator(runStreams);
