import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit.ts";

const TMPFS_MAGIC = 0x01021994;

/**
 * A folder that is deleted when the bench ends. On a disk: on a memory file system a durable ledger would cost nothing,
 * and the numbers would be wrong.
 */
export function temporaryDirectory(name: string): string {
  const parent = statfsSync(tmpdir()).type === TMPFS_MAGIC ? "/var/tmp" : tmpdir();
  const path = mkdtempSync(join(parent, `tollgate-bench-${name}-`));
  atExit(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
