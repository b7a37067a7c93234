import { describeFault, type Log } from "@tollgate/core/log";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { Control } from "../context.ts";
import { raiseBudgetAlerts } from "./raise-budget-alerts.ts";

const POLL_MS = 50;
const BATCH = 5000;
const RETRY_AFTER_MS = 1000;

/**
 * Looks at the budgets of whoever has new events. Nothing is kept of how far it got: a start looks at all budgets
 * once, and an alert that was raised is not raised again.
 */
export async function watchBudgets(
  parts: Pick<Control, "db" | "readModel" | "now" | "newId">,
  ledger: LedgerReader,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  let seen: number | null = null;
  while (!signal.aborted) {
    try {
      const next = ledger.newestSeq();
      if (seen === null) {
        for (const scope of await scopesWithBudgets(parts)) await raiseBudgetAlerts(parts, scope);
      } else if (next > seen) {
        for (const scope of touchedScopes(ledger, seen, next)) await raiseBudgetAlerts(parts, scope);
      }
      seen = next;
      await Bun.sleep(POLL_MS);
    } catch (fault) {
      log("error", "budgets could not be watched; trying again", describeFault(fault));
      await Bun.sleep(RETRY_AFTER_MS);
    }
  }
}

async function scopesWithBudgets({ db }: Pick<Control, "db">): Promise<Scope[]> {
  const rows = await db.selectFrom("budgets").select(["org_id", "mode"]).distinct().execute();
  return rows.map(row => ({ orgId: row.org_id, mode: row.mode === "test" ? "test" : "live" }));
}

function touchedScopes(ledger: LedgerReader, after: number, upTo: number): Scope[] {
  const touched = new Map<string, Scope>();
  for (let at = after; at < upTo; ) {
    const events = ledger.summariesAfter(at, BATCH);
    for (const { org_id, mode } of events) touched.set(`${mode} ${org_id}`, { orgId: org_id, mode });
    at = events.at(-1)?.seq ?? upTo;
  }
  return [...touched.values()];
}
