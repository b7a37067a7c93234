/** One Ctrl-C may arrive twice: from the terminal or the service manager, and once more passed on by a parent. */
const SAME_SIGNAL_MS = 500;

/** The first signal asks to finish; one that comes later, when someone has lost patience, to end at once. */
export function onStopSignals(finish: () => void, endAtOnce: () => void): void {
  let firstAt: number | null = null;
  const onSignal = () => {
    if (firstAt === null) {
      firstAt = performance.now();
      finish();
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      endAtOnce();
    }
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
