import { setTimeout as sleep } from "node:timers/promises";
import { nextTurn } from "./next-turn.ts";

const RETRY_AFTER_MS = 1000;

export class Pause {
  constructor(readonly ms: number) {}
}

/**
 * Repeats work until the signal, with a pause between, which the signal cuts short. A fault is reported, and the work is
 * tried again after a second. Work that resolves with `done` ends the loop; with `at once`, it goes on without a pause;
 * with a `Pause`, after that one.
 */
export async function repeatUntil(
  signal: AbortSignal,
  everyMs: number,
  work: () => Promise<unknown>,
  onFault: (fault: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    let pauseMs = everyMs;
    try {
      const result = await work();
      if (result === "done") return;
      if (result === "at once") {
        await nextTurn();
        continue;
      }
      if (result instanceof Pause) pauseMs = result.ms;
    } catch (fault) {
      onFault(fault);
      pauseMs = RETRY_AFTER_MS;
    }
    // Rejects with the signal, which the loop sees.
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
