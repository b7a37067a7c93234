/** One Ctrl-C may arrive twice: from the terminal or service manager, and again from the parent process. */
const SAME_SIGNAL_MS = 500;

/** The first signal asks for a graceful shutdown; a later one forces an immediate exit. */
export function onStopSignals(finish: () => void, exitNow: () => void): void {
  let firstAt: number | null = null;
  const onSignal = () => {
    if (firstAt === null) {
      firstAt = performance.now();
      finish();
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      exitNow();
    }
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
