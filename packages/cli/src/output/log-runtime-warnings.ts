import { logToStderr } from "./log-to-stderr.ts";

/** The runtime writes some warnings as text, for example that it cannot listen to PostgreSQL. The log is JSON lines. */
export function logRuntimeWarnings(): void {
  console.warn = (...parts: unknown[]) =>
    logToStderr("warn", "the runtime has a warning", { fault: parts.map(String).join(" ") });
}
