import { setTimeout as sleep } from "node:timers/promises";

const RETRY_AFTER_MS = 1000;

/**
 * Does it again and again, with a pause between, until the signal, which cuts the pause short. A fault is told, and
 * tried again after a second. Work that resolves with `done` ends it; with `at once`, it goes on without the pause.
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
      // Everybody else has a turn in any case.
      if (result === "at once") pauseMs = 0;
    } catch (fault) {
      onFault(fault);
      pauseMs = RETRY_AFTER_MS;
    }
    // Rejects with the signal, which the loop sees.
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
