import type { Log } from "@tollgate/core/log";
import { limitRepeats } from "./limit-repeats.ts";

/** JSON lines on stderr, for both planes. */
export const logToStderr: Log = limitRepeats(
  (level, message, fields) => {
    process.stderr.write(
      `${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`,
    );
  },
  {
    nowMs: () => performance.now(),
    after: (ms, run) => setTimeout(run, ms).unref(),
  },
);
