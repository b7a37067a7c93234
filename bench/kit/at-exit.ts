/**
 * Cleanup that must happen however the bench ends: its processes and temporary folders. Steps run last first, and
 * synchronously, because nothing asynchronous runs once a process exits.
 */
const steps = new Set<() => void>();

export function atExit(step: () => void): () => void {
  steps.add(step);
  return () => {
    steps.delete(step);
  };
}

function runSteps(): void {
  for (const step of [...steps].reverse()) {
    steps.delete(step);
    try {
      step();
    } catch {
      // A failing cleanup step must not prevent the others.
    }
  }
}

/** Call once, from the bench that owns the process. */
export function undoOnExit(): void {
  process.on("exit", runSteps);
  for (const [signal, number] of [
    ["SIGHUP", 1],
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const) {
    process.on(signal, () => process.exit(128 + number));
  }
}
