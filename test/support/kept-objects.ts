import { heapStats } from "bun:jsc";

/** How many more objects are alive after `work` than before. Bytes would depend on what else the process has done. */
export function keptObjects(work: () => void): number {
  const alive = () => {
    Bun.gc(true);
    return heapStats().objectCount;
  };
  const before = alive();
  work();
  return alive() - before;
}
