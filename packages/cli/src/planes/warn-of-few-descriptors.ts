import { readFileSync } from "node:fs";
import type { Log } from "@tollgate/core/log";

/** Two thousand calls in flight, about. Usual limits of services and containers are far higher. */
const ENOUGH = 4096;

/** Without it, an operator would see only that providers cannot be reached and that calls cannot be recorded. */
export function warnOfFewDescriptors(log: Log): void {
  const limit = descriptorLimit();
  if (limit === null || limit >= ENOUGH) return;
  log(
    "warn",
    `this process may open only ${limit} files, and a call in flight needs two: calls beyond that fail. Raise the limit (ulimit -n, LimitNOFILE in systemd)`,
    { limit },
  );
}

/** null: unlimited, or unknown on this operating system. Bun has raised the soft limit to the hard one. */
function descriptorLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
