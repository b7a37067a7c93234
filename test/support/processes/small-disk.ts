import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  /** A folder on the disk. */
  readonly path: string;
  /** Leaves no byte free. */
  fill(): void;
  free(): void;
  remove(): void;
}

/** A small disk in memory that can be filled. Only root may mount one; otherwise the reason why not. */
export function mountSmallDisk(megabytes: number): SmallDisk | { readonly impossible: string } {
  const path = mkdtempSync(join(tmpdir(), "tollgate-disk-"));
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tollgate", path]);
  if (mounted.exitCode !== 0) {
    rmSync(path, { recursive: true });
    return { impossible: `a small disk cannot be mounted: ${mounted.stderr.toString().trim()}` };
  }
  const ballast = join(path, "ballast");
  // The mount point cannot be removed while mounted, but a folder on it can.
  const folder = join(path, "data");
  mkdirSync(folder);
  return {
    path: folder,
    fill() {
      // In small pieces, because a large one that does not fit is not written at all.
      try {
        for (;;) writeFileSync(ballast, Buffer.alloc(4096), { flag: "a" });
      } catch (fault) {
        if (!(fault instanceof Error && "code" in fault && fault.code === "ENOSPC")) throw fault;
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      Bun.spawnSync(["umount", "-l", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
