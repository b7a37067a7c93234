import { advisoryLocks } from "@tollgate/storage/engine/advisory-locks";
import { nameOfDatabase } from "@tollgate/storage/engine/name-of-database";
import { SQL } from "bun";
import { UsageError } from "../config/usage-error.ts";

/**
 * Keeps every control plane and every other migration from working on a database. The lock is the one that a control
 * plane holds while it runs; it ends with this process, however that ends.
 */
export async function holdDatabase(url: string): Promise<() => Promise<void>> {
  const session = new SQL(url, { max: 1, idleTimeout: 0 });
  const release = () => session.close({ timeout: 0 });
  try {
    const [row] = await session.unsafe(
      `SELECT pg_try_advisory_lock(${advisoryLocks.backgroundJobs}) AS is_ours`,
    );
    if (row.is_ours === true) return release;
  } catch {
    await release();
    throw new UsageError(`${nameOfDatabase(url)} cannot be reached, or refuses this user`);
  }
  await release();
  throw new UsageError(
    `a control plane or another migration is working on ${nameOfDatabase(url)}: stop it first`,
  );
}
