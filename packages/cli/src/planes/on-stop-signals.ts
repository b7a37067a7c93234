import { readFileSync } from "node:fs";

/** One Ctrl-C may arrive twice: from the terminal or service manager, and again from the parent process. */
const SAME_SIGNAL_MS = 500;

/** The first signal asks for a graceful shutdown; a later one forces an immediate exit. */
export function onStopSignals(finish: () => void, exitNow: () => void): void {
  const isPlane = process.send !== undefined;
  const firstAt = new Map<string, number>();
  const onSignal = (signal: string) => {
    // A plane gets one Ctrl-C as SIGINT from the terminal and, on a busy machine seconds later, as SIGTERM from the
    // supervisor: only the same signal again is a second one.
    const kind = isPlane ? signal : "any";
    const first = firstAt.get(kind);
    if (firstAt.size === 0) finish();
    if (first === undefined) firstAt.set(kind, performance.now());
    else if (performance.now() - first > SAME_SIGNAL_MS) exitNow();
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  // A terminal that closes signals all processes. The planes leave it to the supervisor, which stops them or, started
  // with `nohup`, goes on.
  if (isPlane) process.on("SIGHUP", () => {});
  else if (!ignoresHangup()) process.on("SIGHUP", onSignal);
}

/** Installing a handler would undo `nohup`. Where the kernel does not say, the supervisor ends, and then the planes stop. */
function ignoresHangup(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return ignored === undefined || (Number.parseInt(ignored.slice(-1), 16) & 1) === 1;
  } catch {
    return true;
  }
}
