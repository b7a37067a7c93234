import type { Log } from "@tollgate/core/log";

/** JSON lines on stderr, for both planes. */
export const logToStderr: Log = (level, message, fields) => {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
};
