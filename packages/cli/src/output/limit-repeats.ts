import type { Log } from "@tollgate/core/log";

const REPEAT_AFTER_MS = 60_000;
/** Faults are few; fields that always differ must not let the memory grow. */
const MAX_REMEMBERED = 1000;

/**
 * A fault that is retried every second, such as an absent PostgreSQL, would be thousands of equal lines an hour. It is one
 * line a minute, whose `repeated` counts the lines left out since the one before. A line of level `info` says that
 * something has changed, so every fault after it is logged again.
 */
export function limitRepeats(log: Log, nowMs: () => number): Log {
  const faults = new Map<string, { loggedAtMs: number; leftOut: number }>();
  return (level, message, fields) => {
    if (level === "info") faults.clear();
    if (fields?.fault === undefined) return log(level, message, fields);
    const line = JSON.stringify([level, message, fields]);
    const last = faults.get(line);
    if (last !== undefined && nowMs() - last.loggedAtMs < REPEAT_AFTER_MS) {
      last.leftOut++;
      return;
    }
    if (faults.size >= MAX_REMEMBERED) faults.clear();
    faults.set(line, { loggedAtMs: nowMs(), leftOut: 0 });
    log(
      level,
      message,
      last === undefined || last.leftOut === 0 ? fields : { ...fields, repeated: last.leftOut },
    );
  };
}
