import type { Log } from "@tollgate/core/log";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

const POLL_MS = 50;
const SAY_SO_AFTER_MS = 10_000;

/** Waits until the ledger can be read: the gateway creates and migrates it when it starts. */
export async function openLedger(path: string, log: Log): Promise<LedgerReader> {
  const startedAt = performance.now();
  let isSaid = false;
  for (;;) {
    const ledger = tryOpen(path);
    if (ledger !== null) return ledger;
    if (!isSaid && performance.now() - startedAt > SAY_SO_AFTER_MS) {
      log("warn", "waiting for the gateway to create the ledger");
      isSaid = true;
    }
    await Bun.sleep(POLL_MS);
  }
}

function tryOpen(path: string): LedgerReader | null {
  let ledger: LedgerReader;
  try {
    ledger = new LedgerReader(path);
  } catch {
    return null;
  }
  try {
    ledger.summariesAfter(Number.MAX_SAFE_INTEGER, 1);
    ledger.budgetSpends();
    ledger.beginning();
    ledger.refusals({ orgId: "", mode: "live" }, {}, 0, 1);
    return ledger;
  } catch {
    ledger.close();
    return null;
  }
}
