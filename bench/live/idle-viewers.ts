/** Viewers that only hold their connections: sends `ready` when all are open, and ends when the bench has measured. */
import { type GeneratorChannel, runAsGenerator } from "../gateway/generator/generator-channel.ts";
import { openViewers, type ViewersOptions } from "./open-viewers.ts";

export interface IdleOptions extends ViewersOptions {
  readonly maxSeconds: number;
}

export interface IdleResult {
  /** Connections that were closed. */
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
