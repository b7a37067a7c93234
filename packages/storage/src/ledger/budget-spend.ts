import type { Database } from "bun:sqlite";
import type { Spend } from "@tollgate/core/budgets/account";
import { type Budget, countedAt, countsToward } from "@tollgate/core/budgets/budget";
import { withheldBy } from "@tollgate/core/budgets/flags";
import { type PeriodSpan, periodSpan } from "@tollgate/core/budgets/period";
import type { Event, Mode, PairMark } from "@tollgate/core/event";
import { saturated } from "@tollgate/core/money/money";

/** Which budgets an event counts toward. */
export interface BudgetSource {
  /** After this, `budgetsOf` returns the current configuration. */
  refresh(): void;
  budgetsOf(orgId: string, mode: Mode, isOfVerification: boolean): readonly Budget[];
}

interface Added {
  readonly budget: Budget;
  readonly period: string;
  amount: number;
  withheld: number;
}

interface BudgetedRow {
  readonly agent_key: string;
  readonly key_id: string | null;
  readonly customer_id: string | null;
  readonly created_at: number;
  readonly cost_microcents: number;
  readonly budget_flags: string | null;
  readonly pair: string | null;
}

interface Page {
  readonly first: number | null;
  readonly newer: number;
  readonly gateway_events: number;
}

const PAGE = 5000;

/**
 * Keeps `budget_spend` consistent with the events: it is written in the transaction that appends them. A budget without
 * a row was created or reset after the last event that this process counted, so its spend is summed from the ledger
 * once. After its first row every event is counted as it arrives, and a period without a row has no spend.
 */
export class BudgetSpend {
  readonly #statements;
  /** Sums of the current group. A budget's calls belong to one period, except around its end. */
  readonly #added = new Map<Budget, Added[]>();

  constructor(
    private readonly database: Database,
    private readonly source: BudgetSource | null,
  ) {
    this.#statements = {
      add: database.query(
        // Saturates where JavaScript could not hold the sum exactly: such a budget has long been exhausted.
        `UPDATE budget_spend SET spent_microcents = min(spent_microcents + ?, 9007199254740991),
           withheld_microcents = min(withheld_microcents + ?, 9007199254740991)
         WHERE budget_id = ? AND since = ? AND period = ?`,
      ),
      insert: database.query(
        "INSERT INTO budget_spend (budget_id, since, period, spent_microcents, withheld_microcents) VALUES (?, ?, ?, ?, ?)",
      ),
      spent: database.query<
        { spent_microcents: number; withheld_microcents: number },
        [string, number, string]
      >(
        "SELECT spent_microcents, withheld_microcents FROM budget_spend WHERE budget_id = ? AND since = ? AND period = ?",
      ),
      // The row starts later than the budget: it was reset, and control.db is an older copy from before the reset.
      // The older sums lack what came after it.
      isKnown: database.query<{ found: number }, [string, number]>(
        `SELECT 1 AS found FROM budget_spend WHERE budget_id = ?1 AND since = ?2
         AND NOT EXISTS (SELECT 1 FROM budget_spend WHERE budget_id = ?1 AND since > ?2) LIMIT 1`,
      ),
      forget: database.query("DELETE FROM budget_spend WHERE budget_id = ? AND since >= ?"),
      page: database.query<Page, [number, number]>(
        `SELECT MIN(seq) AS first, COALESCE(SUM(created_at >= ?2), 0) AS newer,
                COALESCE(SUM(source = 'gateway'), 0) AS gateway_events
         FROM (SELECT seq, created_at, source FROM events WHERE seq < ?1 ORDER BY seq DESC LIMIT ${PAGE})`,
      ),
      events: database.query<BudgetedRow, [number, string, string, number]>(
        `SELECT agent_key, key_id, customer_id, created_at, cost_microcents, budget_flags, pair FROM events
         WHERE seq >= ? AND org_id = ? AND mode = ?
         AND ((created_at >= ? AND cost_microcents <> 0) OR budget_flags IS NOT NULL)`,
      ),
    };
  }

  /** Starts a group. Configuration changes made before it apply to it. */
  begin(): void {
    this.#added.clear();
    this.source?.refresh();
  }

  add(event: Event): void {
    if (this.source === null || (event.cost_microcents === 0 && event.budget_flags === null)) return;
    const budgets = this.source.budgetsOf(event.org_id, event.mode, event.pair !== null);
    for (const budget of budgets) {
      if (!countsToward(budget, event)) continue;
      const { id: period } = periodSpan(budget.period, countedAt(budget, event.created_at));
      const amount = event.cost_microcents;
      const withheld = withheldBy(event.budget_flags, budget);
      const ofBudget = this.#added.get(budget);
      const known = ofBudget?.find(added => added.period === period);
      if (known) {
        known.amount += amount;
        known.withheld += withheld;
      } else if (ofBudget) ofBudget.push({ budget, period, amount, withheld });
      else this.#added.set(budget, [{ budget, period, amount, withheld }]);
    }
  }

  /** Runs in the group's transaction before its events, because summing the ledger must not count them too. */
  write(): void {
    for (const added of [...this.#added.values()].flat()) {
      if (this.#add(added)) continue;
      const { budget, period, amount, withheld } = added;
      this.#beginCounting(budget);
      if (!this.#add(added)) {
        this.#statements.insert.run(
          budget.id,
          budget.sinceMs,
          period,
          saturated(amount),
          saturated(withheld),
        );
      }
    }
  }

  /** The spend according to the ledger. `waiting`: events that are not written yet. */
  spentIn(budget: Budget, span: PeriodSpan, waiting: readonly Event[]): Spend {
    if (!this.isCounted(budget)) {
      this.database.transaction(() => this.#beginCounting(budget, span.id)).immediate();
    }
    const row = this.#statements.spent.get(budget.id, budget.sinceMs, span.id);
    let spent = row?.spent_microcents ?? 0;
    let withheld = row?.withheld_microcents ?? 0;
    for (const event of waiting) {
      if (event.org_id !== budget.orgId || event.mode !== budget.mode) continue;
      const at = countedAt(budget, event.created_at);
      if (at < span.startsAtMs || at >= span.endsAtMs || !countsToward(budget, event)) continue;
      spent += event.cost_microcents;
      withheld += withheldBy(event.budget_flags, budget);
    }
    return { settledMicrocents: saturated(spent), withheldMicrocents: saturated(withheld) };
  }

  /** False: no event is known to count toward it. */
  isCounted({ id, sinceMs }: Budget): boolean {
    return this.#statements.isKnown.get(id, sinceMs) !== null;
  }

  #add({ budget, period, amount, withheld }: Added): boolean {
    const { id, sinceMs } = budget;
    return this.#statements.add.run(saturated(amount), saturated(withheld), id, sinceMs, period).changes > 0;
  }

  /** `period` always gets a row, so that this happens once. */
  #beginCounting(budget: Budget, period?: string): void {
    if (this.isCounted(budget)) return;
    this.#statements.forget.run(budget.id, budget.sinceMs);
    const sums = new Map<string, { spent: number; withheld: number }>();
    if (period !== undefined) sums.set(period, { spent: 0, withheld: 0 });
    const first = this.#firstPageSince(budget.sinceMs);
    for (const row of this.#statements.events.all(first, budget.orgId, budget.mode, budget.sinceMs)) {
      const flags = row.budget_flags === null ? null : (JSON.parse(row.budget_flags) as string[]);
      const pair = row.pair === null ? null : (JSON.parse(row.pair) as PairMark);
      if (!countsToward(budget, { ...row, budget_flags: flags, pair })) continue;
      const { id } = periodSpan(budget.period, countedAt(budget, row.created_at));
      const sum = sums.get(id) ?? { spent: 0, withheld: 0 };
      sum.spent += row.cost_microcents;
      sum.withheld += withheldBy(flags, budget);
      sums.set(id, sum);
    }
    for (const [id, { spent, withheld }] of sums) {
      this.#statements.insert.run(budget.id, budget.sinceMs, id, saturated(spent), saturated(withheld));
    }
  }

  /**
   * Events are ordered by settlement, newest last: walk back until a whole page is older. Ingested events may have
   * any age and do not count for this; far fewer calls than a page are in flight at once.
   */
  #firstPageSince(sinceMs: number): number {
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const page = this.#statements.page.get(before, sinceMs);
      if (page === null || page.first === null) return 0;
      if (page.newer === 0 && page.gateway_events > 0) return before;
      before = page.first;
    }
  }
}
