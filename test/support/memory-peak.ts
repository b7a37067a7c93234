/** How far the process's memory rose while `work` ran, in bytes. Sampled, for the peak is what kills a process. */
export async function memoryPeak(work: () => Promise<void>): Promise<number> {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 2);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(peak, process.memoryUsage.rss()) - before;
}

export const MEGABYTE = 1024 * 1024;
