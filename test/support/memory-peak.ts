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
  // In a process with a large heap a look takes long: most of the time is the work's.
  let timer: Timer;
  const look = () => {
    const began = performance.now();
    peak = Math.max(peak, held());
    timer = setTimeout(look, Math.max(100, 4 * (performance.now() - began)));
  };
  timer = setTimeout(look, 100);
  try {
    await work();
  } finally {
    clearTimeout(timer);
  }
  return Math.max(peak, held()) - before;
}

export const MEGABYTE = 1024 * 1024;
