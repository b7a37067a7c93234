/**
 * What must be undone however the bench ends: its processes, its temporary folders. Steps run last first, and
 * synchronously, because nothing asynchronous runs any more once a process exits.
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
      // One thing that cannot be undone must not keep the others from being undone.
    }
  }
}

/** To be called once, by the bench that owns the process. */
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
