import { statSync } from "node:fs";
import { describeFault, type Log } from "@tollgate/core/log";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

const POLL_MS = 50;
const SAY_SO_AFTER_MS = 10_000;
const REPORT_FAULT_EVERY_MS = 60_000;

type Attempt =
  | { readonly kind: "opened"; readonly ledger: LedgerReader }
  /** The gateway has not created the file, or has not created or migrated its tables. */
  | { readonly kind: "unfinished" }
  | { readonly kind: "failed"; readonly fault: unknown };

/** Waits until the ledger can be read: the gateway creates and migrates it when it starts. */
export async function openLedger(
  path: string,
  log: Log,
  nowMs: () => number = () => performance.now(),
): Promise<LedgerReader> {
  const startedAt = nowMs();
  let isSaid = false;
  let reportedAt: number | null = null;
  for (;;) {
    const attempt = tryOpen(path);
    if (attempt.kind === "opened") return attempt.ledger;
    const now = nowMs();
    if (attempt.kind === "unfinished") {
      if (!isSaid && now - startedAt > SAY_SO_AFTER_MS) {
        log("warn", "waiting for the gateway to create or migrate the ledger");
        isSaid = true;
      }
    } else if (reportedAt === null || now - reportedAt >= REPORT_FAULT_EVERY_MS) {
      log("error", "cannot read the ledger; retrying", describeFault(attempt.fault));
      reportedAt = now;
    }
    await Bun.sleep(POLL_MS);
  }
}

function tryOpen(path: string): Attempt {
  try {
    const isMissing = statSync(path, { throwIfNoEntry: false }) === undefined;
    return isMissing ? { kind: "unfinished" } : tryRead(new LedgerReader(path));
  } catch (fault) {
    return { kind: "failed", fault };
  }
}

/** Closes a ledger that cannot answer the queries of each of its tables. */
function tryRead(ledger: LedgerReader): Attempt {
  try {
    ledger.summariesAfter(Number.MAX_SAFE_INTEGER, 1);
    ledger.budgetSpends();
    ledger.beginning();
    ledger.refusals({ orgId: "", mode: "live" }, {}, 0, 1);
    return { kind: "opened", ledger };
  } catch (fault) {
    try {
      return isAboutSchema(fault) && ledger.isOlder() ? { kind: "unfinished" } : { kind: "failed", fault };
    } finally {
      ledger.close();
    }
  }
}

const isAboutSchema = (fault: unknown) =>
  fault instanceof Error && /no such (table|column):/.test(fault.message);
