import type { ControlDb } from "@tollgate/storage/database/schema";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { UsageError } from "../config/usage-error.ts";

/** A running control plane copies the newest events within a second. */
const PATIENCE_MS = 5000;
const POLL_MS = 100;

/**
 * Waits until a control plane's copy of the ledger has what control planes have derived, which may be another one's work.
 * Without these events every fact of them would look wrong.
 */
export async function untilCopied(db: ControlDb, copy: LedgerReader, derivedUpTo: number): Promise<void> {
  const { position: end } = await db
    .selectFrom("shared_ledger_end")
    .select("position")
    .executeTakeFirstOrThrow();
  // What PostgreSQL itself does not have is a difference.
  const needed = Math.min(derivedUpTo, end);
  const endsAt = performance.now() + PATIENCE_MS;
  for (let newest = copy.newestSeq(); newest < needed; newest = copy.newestSeq()) {
    if (performance.now() > endsAt) {
      throw new UsageError(
        `this control plane's copy of the ledger ends at event ${newest}, and event ${needed} is derived already: start it, or verify on another control plane`,
      );
    }
    await Bun.sleep(POLL_MS);
  }
}
