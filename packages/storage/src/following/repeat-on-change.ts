import type { ControlDatabase } from "../database/open-control-database.ts";
import { Pause, repeatUntil } from "./repeat-until.ts";

/** Also without a change: work may depend on the time. */
const MAX_WAIT_MS = 1000;

/**
 * Repeats work on the control database until the signal: when the database has changed, at most every `everyMs`, and at
 * least every second. PostgreSQL does not tell what others have changed: then it is repeated every `everyMs`.
 */
export function repeatOnChange(
  { pulse }: Pick<ControlDatabase, "pulse">,
  signal: AbortSignal,
  everyMs: number,
  work: () => Promise<unknown>,
  onFault: (fault: unknown) => void,
): Promise<void> {
  const workAndWait = async () => {
    const seen = pulse?.beats ?? 0;
    const startedAt = performance.now();
    const result = await work();
    if (pulse === null || result !== undefined) return result;
    await pulse.next(seen, MAX_WAIT_MS, signal);
    return new Pause(Math.max(0, startedAt + everyMs - performance.now()));
  };
  return repeatUntil(signal, everyMs, workAndWait, onFault);
}
