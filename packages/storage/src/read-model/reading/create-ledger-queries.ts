import type { ControlDb } from "../../database/schema.ts";
import { readSeq } from "../../following/stored-position.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { EVENTS_CURSOR } from "../deriving/read-model-repair.ts";
import type { LedgerQueries } from "../queries/ledger-queries.ts";
import { readBudgetSpend } from "./read-budget-spend.ts";

export function createLedgerQueries(db: ControlDb, ledger: LedgerReader): LedgerQueries {
  return {
    budgetSpend: async budgets => readBudgetSpend(ledger, budgets),
    monthlyCalls: async (orgId, month) => ledger.monthlyCallsOf(orgId, month),
    newestSeq: async () => ledger.newestSeq(),
    async lag() {
      const seq = await readSeq(db, EVENTS_CURSOR);
      // Events are numbered without gaps: retention removes them only from the beginning.
      return Math.max(0, ledger.newestSeq() - seq);
    },
    async followedUntil(now) {
      const seq = await readSeq(db, EVENTS_CURSOR);
      if (seq >= ledger.newestSeq()) return now;
      return ledger.bySeqs([seq])[0]?.event.created_at ?? 0;
    },
  };
}
