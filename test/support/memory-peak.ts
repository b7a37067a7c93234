/**
 * The peak increase in memory while `work` ran, in bytes. Garbage is collected before each reading: only live memory
 * counts, not how long the collector takes.
 */
export async function memoryPeak(work: () => Promise<void>): Promise<number> {
  const held = () => {
    Bun.gc(true);
    return process.memoryUsage.rss();
  };
  const before = held();
  let peak = before;
  // With a large heap a reading takes long, so most of the time is left for the work.
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
