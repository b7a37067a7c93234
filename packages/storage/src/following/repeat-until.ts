import { setTimeout as sleep } from "node:timers/promises";
import { nextTurn } from "../engine/next-turn.ts";

const RETRY_AFTER_MS = 1000;

export class Pause {
  constructor(readonly ms: number) {}
}

/** Resolves after the pause, or at the signal. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** A timer that the signal ends. */
export const sleepOrStop: Sleep = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {});

/**
 * Repeats work until the signal, with a pause in between that the signal interrupts. A fault is reported, and the work
 * is retried after a second. The work may resolve with `done` to end the loop, `again` to repeat without a pause, or a
 * `Pause` of its own.
 */
export async function repeatUntil(
  signal: AbortSignal,
  everyMs: number,
  work: () => Promise<unknown>,
  onFault: (fault: unknown) => void,
  pause: Sleep = sleepOrStop,
): Promise<void> {
  while (!signal.aborted) {
    let pauseMs = everyMs;
    try {
      const result = await work();
      if (result === "done") return;
      if (result === "again") pauseMs = 0;
      else if (result instanceof Pause) pauseMs = result.ms;
    } catch (fault) {
      onFault(fault);
      pauseMs = RETRY_AFTER_MS;
    }
    // A timer of 0 ms would delay the next turn, and keep the event loop busier.
    if (pauseMs <= 0) await nextTurn();
    else await pause(pauseMs, signal);
  }
}
