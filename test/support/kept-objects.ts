import { heapStats } from "bun:jsc";

const LOOKS = 10;

/**
 * How many more objects are alive after `work` than before. Bytes would depend on what else the process has done. The
 * least of several looks, each in a turn of its own: the collector takes anything on the stack for a reference, and one to
 * an old table of a map keeps everything that was ever in that map.
 */
export async function keptObjects(work: () => void): Promise<number> {
  const alive = () => {
    Bun.gc(true);
    return heapStats().objectCount;
  };
  const before = alive();
  work();
  let kept = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS && kept > 0; look++) {
    await Bun.sleep(1);
    kept = Math.min(kept, alive() - before);
  }
  return kept;
}
