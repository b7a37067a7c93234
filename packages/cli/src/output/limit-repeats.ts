import type { Log } from "@tollgate/core/log";

const REPEAT_AFTER_MS = 60_000;
/** Faults are few; fields that always differ must not let the memory grow. */
const MAX_REMEMBERED = 1000;

interface Clock {
  nowMs(): number;
  after(ms: number, run: () => void): void;
}

interface Fault {
  readonly logAgain: (leftOut: number) => void;
  loggedAtMs: number;
  leftOut: number;
}

/**
 * A fault that is retried every second, such as an unreachable PostgreSQL, would log thousands of identical lines an
 * hour. It logs one line a minute instead, whose `repeated` counts the lines left out since the previous one. The last
 * count is logged at the end of its minute, or before a line of level `info`: such a line says that something has
 * changed, so the next occurrence of every fault is logged again.
 */
export function limitRepeats(log: Log, clock: Clock): Log {
  const faults = new Map<string, Fault>();
  const logLeftOut = (fault: Fault) => {
    if (fault.leftOut === 0) return;
    fault.logAgain(fault.leftOut);
    fault.loggedAtMs = clock.nowMs();
    fault.leftOut = 0;
  };
  const forgetAll = () => {
    for (const fault of faults.values()) logLeftOut(fault);
    faults.clear();
  };
  return (level, message, fields) => {
    if (level === "info") forgetAll();
    if (fields?.fault === undefined) return log(level, message, fields);
    const line = JSON.stringify([level, message, fields]);
    const known = faults.get(line);
    const restMs = known === undefined ? 0 : known.loggedAtMs + REPEAT_AFTER_MS - clock.nowMs();
    if (known !== undefined && (restMs > 0 || known.leftOut > 0)) {
      known.leftOut++;
      if (known.leftOut === 1) clock.after(restMs, () => logLeftOut(known));
      return;
    }
    if (faults.size >= MAX_REMEMBERED) forgetAll();
    const logAgain = (leftOut: number) => log(level, message, { ...fields, repeated: leftOut });
    faults.set(line, { logAgain, loggedAtMs: clock.nowMs(), leftOut: 0 });
    log(level, message, fields);
  };
}
