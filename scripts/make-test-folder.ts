import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProcessRunning } from "./is-process-running.ts";

const MEMORY = "/dev/shm";
/** Several times what all tests together have there at any time. */
const ENOUGH_BYTES = 6 * 1024 ** 3;

/**
 * For everything that tests write. In memory where there is enough of it: creating and dropping a database there takes
 * a tenth of the time that it takes on a disk, and tests create hundreds.
 */
export function makeTestFolder() {
  const base = hasRoomInMemory() ? MEMORY : tmpdir();
  removeAbandoned(base);
  const path = mkdtempSync(join(base, `tollgate-tests-${process.pid}-`));
  // PostgreSQL runs as another user if we are root.
  chmodSync(path, 0o711);
  const remove = () => {
    try {
      // The servers of the tests are stopping, and delete their own files.
      rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    } catch (fault) {
      // No reason to fail: the next run removes the rest.
      process.stderr.write(`could not remove ${path}: ${fault}\n`);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      remove();
      process.exit(1);
    });
  }
  return { path, remove };
}

/** Of runs that were killed: nobody else would free that memory. */
function removeAbandoned(base: string): void {
  for (const name of readdirSync(base)) {
    const [, pid] = /^tollgate-tests-(\d+)-\w+$/.exec(name) ?? [];
    if (pid !== undefined && !isProcessRunning(Number(pid))) {
      rmSync(join(base, name), { recursive: true, force: true });
    }
  }
}

function hasRoomInMemory(): boolean {
  try {
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map(line => line.split(" "))
      .findLast(([, place]) => place === MEMORY);
    const [, , type, options = ""] = mount ?? [];
    if (type !== "tmpfs" || options.split(",").some(option => option === "noexec" || option === "ro"))
      return false;
    const { bavail, bsize } = statfsSync(MEMORY);
    const [, availableKiB = "0"] =
      /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
    return Math.min(bavail * bsize, Number(availableKiB) * 1024) > ENOUGH_BYTES;
  } catch {
    // Another system than Linux.
    return false;
  }
}
