import type { Directory } from "@tollgate/storage/config/directory";
import { nextTurn } from "@tollgate/storage/following/next-turn";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { Ledger } from "@tollgate/storage/ledger/ledger";
import type { Budgets } from "./budgets.ts";

const POLL_MS = 200;
/** The clocks of control planes differ. Reporting twice is harmless. */
const OVERLAP_MS = 60_000;
const BUDGETS_PER_TURN = 100;

interface Parts {
  readonly directory: Pick<Directory, "refresh" | "revision" | "blockingBudgets">;
  readonly ledger: Pick<Ledger, "hasBudgetSpend">;
  readonly budgets: Pick<Budgets, "reportSpend">;
  readonly now: () => number;
  readonly onFault: (fault: unknown) => void;
}

/**
 * Reports to the other gateways what this one has spent of blocking budgets: at startup, and when a budget changes. A
 * budget that becomes blocking was spent from without allowances before, perhaps by a gateway that gets no more calls.
 */
export function reportSpend(parts: Parts, signal: AbortSignal): Promise<void> {
  const { directory, ledger, budgets, now, onFault } = parts;
  let reportedRevision: number | null = null;
  let changedAtMs = 0;
  return repeatUntil(
    signal,
    POLL_MS,
    async () => {
      directory.refresh();
      const { revision } = directory;
      if (revision === reportedRevision) return;
      const changed = directory.blockingBudgets(changedAtMs - OVERLAP_MS);
      let reported = 0;
      for (const budget of changed.budgets) {
        if (!ledger.hasBudgetSpend(budget)) continue;
        budgets.reportSpend(budget, now());
        if (++reported % BUDGETS_PER_TURN === 0) await nextTurn();
        if (signal.aborted) return;
      }
      reportedRevision = revision;
      changedAtMs = Math.max(changedAtMs, changed.changedAtMs);
    },
    onFault,
  );
}
