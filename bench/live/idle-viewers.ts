/** Viewers that only hold their connections: says `ready` when all are open, and ends when the bench has looked. */
import { type GeneratorChannel, runAsGenerator } from "../gateway/generator-channel.ts";
import { openViewers, type ViewersOptions } from "./open-viewers.ts";

export interface IdleOptions extends ViewersOptions {
  readonly maxSeconds: number;
}

export interface IdleResult {
  /** Connections that did not last. */
  readonly closed: number;
}

await runAsGenerator<IdleOptions, IdleResult>(
  async (options, channel: GeneratorChannel<IdleResult>): Promise<IdleResult> => {
    let closed = 0;
    await openViewers(
      options,
      () => {},
      () => {
        closed += 1;
      },
    );
    await channel.ready();
    return { closed };
  },
);
