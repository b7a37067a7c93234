/** Opens N streams, sends `ready` once each has its first chunk, and closes them all on request. */
import { type Address, heldStreamBody, requestBytes } from "./chat-request.ts";
import { ClientConnection } from "./client-connection.ts";
import { type GeneratorChannel, runAsGenerator } from "./generator-channel.ts";

export interface HeldStreamsOptions {
  readonly address: Address;
  readonly headers: Readonly<Record<string, string>>;
  readonly streams: number;
  /** Spread over this time, because the targets' accept queues would overflow otherwise. */
  readonly rampMs: number;
  readonly maxSeconds: number;
}

export interface HeldStreamsResult {
  readonly streams: number;
}

async function holdStreams(
  options: HeldStreamsOptions,
  channel: GeneratorChannel<HeldStreamsResult>,
): Promise<HeldStreamsResult> {
  const request = requestBytes(options.address, options.headers, heldStreamBody);
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => {});
  const connections: ClientConnection[] = [];

  const open = async (_: unknown, index: number): Promise<void> => {
    await Bun.sleep((options.rampMs * index) / options.streams);
    const { promise: began, resolve } = Promise.withResolvers<void>();
    const connection = new ClientConnection(options.address, {
      body: () => resolve(),
      end: () => reject(new Error("a held stream ended")),
      failed: reason => reject(new Error(reason)),
    });
    connections.push(connection);
    await connection.open();
    connection.send(request);
    await began;
  };

  const tooLate = Bun.sleep(options.maxSeconds * 1000).then(() => {
    throw new Error("not all streams started in time");
  });
  tooLate.catch(() => {});
  await Promise.race([Promise.all(Array.from({ length: options.streams }, open)), broken, tooLate]);
  // A stream that breaks while it is held invalidates the memory reading.
  await Promise.race([channel.ready(), broken]);
  for (const connection of connections) connection.close();
  return { streams: options.streams };
}

await runAsGenerator(holdStreams);
