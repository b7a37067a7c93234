import type { TableDigest } from "@tollgate/storage/installation-copy/digest-tables";
import type { LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import { UsageError } from "../config/usage-error.ts";

/** Changes with any value of the source: what was copied before it changed would be a mixture. */
export function identifySource(digests: readonly TableDigest[], ledgerEnd: LedgerPosition): string {
  const text = JSON.stringify([digests, ledgerEnd]);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** Locks keep instances away, but not other commands. */
export function refuseChanged(
  identity: string,
  digests: readonly TableDigest[],
  ledgerEnd: LedgerPosition,
): void {
  if (identifySource(digests, ledgerEnd) === identity) return;
  throw new UsageError(
    "the installation was changed during the migration, for example by another command: start over with a new target",
  );
}
