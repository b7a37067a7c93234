/**
 * How much more memory than before the process held at any time while `work` ran, in bytes. Collected before each
 * look: what counts is what is kept, not how long the collector takes to notice what is not.
 */
export async function memoryPeak(work: () => Promise<void>): Promise<number> {
  const held = () => {
    Bun.gc(true);
    return process.memoryUsage.rss();
  };
  const before = held();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, held());
  }, 100);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(peak, held()) - before;
}

export const MEGABYTE = 1024 * 1024;
