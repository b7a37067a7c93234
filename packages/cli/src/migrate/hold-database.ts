import { advisoryLocks } from "@tollgate/storage/engine/advisory-locks";
import { isLockFault } from "@tollgate/storage/engine/lock-fault";
import { nameOfDatabase } from "@tollgate/storage/engine/name-of-database";
import { SQL } from "bun";
import { UsageError } from "../config/usage-error.ts";

/** PostgreSQL takes a moment to notice that a process has ended, and holds its lock until then. */
const PATIENCE_MS = 3000;

/**
 * Keeps every control plane and every other migration from working on a database. The lock is the one that a control
 * plane holds while it runs; it ends with this process, however that ends.
 */
export async function holdDatabase(url: string, patienceMs = PATIENCE_MS): Promise<() => Promise<void>> {
  const session = new SQL(url, { max: 1, idleTimeout: 0 });
  const release = () => session.close({ timeout: 0 });
  try {
    // A shorter limit of the database's own would look like a fault.
    await session.unsafe("SET statement_timeout = 0");
    await session.unsafe(`SET lock_timeout = ${patienceMs}`);
    await session.unsafe(`SELECT pg_advisory_lock(${advisoryLocks.backgroundJobs})`);
    return release;
  } catch (fault) {
    await release();
    throw new UsageError(
      isLockFault(fault)
        ? `a control plane or another migration is working on ${nameOfDatabase(url)}: stop it first`
        : `${nameOfDatabase(url)} cannot be reached, or refuses this user`,
    );
  }
}
