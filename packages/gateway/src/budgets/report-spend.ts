import type { BlockingBudget, Directory } from "@tollgate/storage/config/directory";
import { nextTurn } from "@tollgate/storage/engine/next-turn";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { Ledger } from "@tollgate/storage/ledger/ledger";
import type { Budgets } from "./budgets.ts";

const POLL_MS = 200;
const BUDGETS_PER_TURN = 100;

interface Parts {
  readonly directory: Pick<Directory, "refresh" | "revision" | "blockingBudgets" | "blockingBudget">;
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
  let known: ReadonlyMap<string, BlockingBudget> | null = null;
  return repeatUntil(
    signal,
    POLL_MS,
    async () => {
      directory.refresh();
      const { revision } = directory;
      if (revision === reportedRevision) return;
      const blocking = directory.blockingBudgets();
      let looked = 0;
      for (const [id, { changedAtMs, isRecent }] of blocking) {
        // Compared only for equality: the clocks of the control planes that change budgets differ.
        if (known?.get(id)?.changedAtMs === changedAtMs) continue;
        const budget = directory.blockingBudget(id);
        // The others wait for a report, even of nothing, when a budget becomes blocking.
        const isDue = budget !== null && (known !== null || isRecent || ledger.hasBudgetSpend(budget));
        if (isDue) budgets.reportSpend(budget, now());
        if (++looked % BUDGETS_PER_TURN === 0) await nextTurn();
        if (signal.aborted) return;
      }
      reportedRevision = revision;
      known = blocking;
    },
    onFault,
  );
}
