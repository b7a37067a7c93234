import { setTimeout as sleep } from "node:timers/promises";
import { SQL } from "bun";
import { advisoryLocks } from "./advisory-locks.ts";

const BEAT_MS = 500;
/** PostgreSQL ends the session of a process that has been silent for this long, which frees the lock. */
const MAX_SILENCE_MS = 3000;
/** One that makes no progress tries to lead this rarely: any other one is quicker. */
const HANDICAP_MS = 2000;
/** So long it leads at a time if there is no other. */
const HANDICAPPED_TERM_MS = 10_000;

export interface Leading {
  /** Runs while this process leads, until its signal. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** The work makes no progress here, for example because this machine's disk is full: another process had better lead. */
  readonly isStuck?: () => boolean;
  /** Another process leads; or only `newer` versions may, because one of them has migrated the database. */
  readonly onStandby?: (leaders: "another" | "newer") => void;
  readonly onFault?: (fault: unknown) => void;
}

/**
 * Runs work on one process at a time: the one whose session holds PostgreSQL's advisory lock. If that process dies or
 * freezes, its session ends, and another takes over within seconds. One whose work makes no progress lets another lead.
 */
export async function leadByLock(
  url: string,
  signal: AbortSignal,
  leading: Leading,
  mayLead: () => Promise<boolean> = async () => true,
): Promise<void> {
  while (!signal.aborted) {
    const session = new SQL(url, { max: 1, idleTimeout: 0, connectionTimeout: MAX_SILENCE_MS / 1000 });
    try {
      await session.unsafe(`SET idle_session_timeout = ${MAX_SILENCE_MS}`);
      let locked: number | null = null;
      for (;;) {
        if (leading.isStuck?.()) await pause(signal, HANDICAP_MS);
        const isAllowed = await mayLead();
        locked = isAllowed ? await tryLock(session) : null;
        if (locked !== null || signal.aborted) break;
        leading.onStandby?.(isAllowed ? "another" : "newer");
        // Without a query the session would end.
        if (!isAllowed) await session.unsafe("SELECT 1");
        await pause(signal);
      }
      if (locked !== null && !signal.aborted) await lead(session, locked, signal, leading);
    } catch (fault) {
      leading.onFault?.(fault);
      await pause(signal);
    } finally {
      await session.close({ timeout: 0 }).catch(() => {});
    }
  }
}

/** The id of the session that has the lock, if it is ours; null: another one has it. */
async function tryLock(session: SQL): Promise<number | null> {
  const [row] = await session.unsafe(
    `SELECT pg_try_advisory_lock(${advisoryLocks.backgroundJobs}) AS is_ours, pg_backend_pid() AS pid`,
  );
  return row.is_ours === true ? row.pid : null;
}

/** Ends when the session does, or the work makes no progress. */
async function lead(session: SQL, locked: number, signal: AbortSignal, leading: Leading): Promise<void> {
  const { work, isStuck = () => false } = leading;
  const term = new AbortController();
  const leadsUntil = performance.now() + (isStuck() ? HANDICAPPED_TERM_MS : 0);
  const working = work(term.signal);
  try {
    while (!signal.aborted && (!isStuck() || performance.now() < leadsUntil)) {
      await Promise.race([pause(signal), working]);
      const [row] = await answered(session.unsafe("SELECT pg_backend_pid() AS pid"));
      // The client connects again by itself, but then without the lock.
      if (row?.pid !== locked) throw new Error("the session that led has ended");
    }
  } finally {
    term.abort();
    await working;
  }
}

/** Rejects if PostgreSQL is silent for longer than it would wait for us. */
async function answered<Rows>(query: Promise<Rows>): Promise<Rows> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("PostgreSQL does not answer")), MAX_SILENCE_MS);
  try {
    return await Promise.race([query, late.promise]);
  } finally {
    clearTimeout(timer);
    query.catch(() => {});
  }
}

async function pause(signal: AbortSignal, ms = BEAT_MS): Promise<void> {
  // Rejects at the signal, which every loop checks.
  await sleep(ms, undefined, { signal }).catch(() => {});
}
