import type { LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import type { TableDigest } from "@tollgate/storage/migration/digest-tables";

/** Changes with any value of the source: what was copied before it changed would be a mixture. */
export function identifySource(digests: readonly TableDigest[], ledgerEnd: LedgerPosition): string {
  const text = JSON.stringify([digests, ledgerEnd]);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
