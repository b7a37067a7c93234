import type { Directory } from "@tollgate/storage/config/directory";
import { nextTurn } from "@tollgate/storage/following/next-turn";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { Ledger } from "@tollgate/storage/ledger/ledger";
import type { Budgets } from "./budgets.ts";

const LOOK_EVERY_MS = 200;
/** The clocks of control planes differ. Telling twice is harmless. */
const OVERLAP_MS = 60_000;
const BUDGETS_PER_TURN = 100;

interface Parts {
  readonly directory: Pick<Directory, "refresh" | "revision" | "blockingBudgets">;
  readonly ledger: Pick<Ledger, "hasBudgetSpend">;
  readonly budgets: Pick<Budgets, "tellSpend">;
  readonly now: () => number;
  readonly onFault: (fault: unknown) => void;
}

/**
 * Tells the other gateways what this one has spent of blocking budgets: at the start, and of those that were changed. A
 * budget that becomes blocking was spent from before without allowances, perhaps by a gateway that has no more calls.
 */
export function tellSpend(parts: Parts, signal: AbortSignal): Promise<void> {
  const { directory, ledger, budgets, now, onFault } = parts;
  let toldRevision: number | null = null;
  let changedAtMs = 0;
  return repeatUntil(
    signal,
    LOOK_EVERY_MS,
    async () => {
      directory.refresh();
      const { revision } = directory;
      if (revision === toldRevision) return;
      const changed = directory.blockingBudgets(changedAtMs - OVERLAP_MS);
      let told = 0;
      for (const budget of changed.budgets) {
        if (!ledger.hasBudgetSpend(budget)) continue;
        budgets.tellSpend(budget, now());
        if (++told % BUDGETS_PER_TURN === 0) await nextTurn();
        if (signal.aborted) return;
      }
      toldRevision = revision;
      changedAtMs = Math.max(changedAtMs, changed.changedAtMs);
    },
    onFault,
  );
}
