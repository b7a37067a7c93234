import type { ControlDatabase } from "../database/open-control-database.ts";
import { Pause, repeatUntil } from "./repeat-until.ts";

/** Also without a change: work may depend on the time. */
const MAX_WAIT_MS = 1000;

/**
 * Repeats work on the control database until the signal: when the database has changed, at most every `everyMs`, and at
 * least every second. It is told whether the database may have changed since it last succeeded; if not, only time has
 * passed. PostgreSQL does not tell what others have changed: then work is repeated every `everyMs`, as after a change.
 */
export function repeatOnChange(
  { pulse }: Pick<ControlDatabase, "pulse">,
  signal: AbortSignal,
  everyMs: number,
  work: (isChanged: boolean) => Promise<unknown>,
  onFault: (fault: unknown) => void,
): Promise<void> {
  let lastSeen: number | null = null;
  const workAndWait = async () => {
    const seen = pulse?.beats ?? 0;
    const startedAt = performance.now();
    const isChanged = pulse === null || seen !== lastSeen;
    lastSeen = null;
    const result = await work(isChanged);
    if (pulse === null || result !== undefined) return result;
    lastSeen = seen;
    await pulse.next(seen, MAX_WAIT_MS, signal);
    return new Pause(Math.max(0, startedAt + everyMs - performance.now()));
  };
  return repeatUntil(signal, everyMs, workAndWait, onFault);
}
