import type { Spend } from "@tollgate/core/budgets/account";
import { type Budget, countedAt, countsToward } from "@tollgate/core/budgets/budget";
import { withheldBy } from "@tollgate/core/budgets/flags";
import { type PeriodSpan, periodSpan } from "@tollgate/core/budgets/period";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { nameOf, type SlotKey, type StoredBudgets } from "./simulated-bank.ts";
import { SimulatedSlot } from "./simulated-slot.ts";

/** A gateway's ledger in memory, and what it adds up to for each budget and period. */
export class SimulatedLedger {
  readonly #events: Event[] = [];
  #shippedCount = 0;
  readonly #slots = new Map<string, SimulatedSlot>();

  constructor(private readonly stored: () => StoredBudgets) {}

  budgetSpend(budget: Budget, span: PeriodSpan): Spend {
    let settled = 0;
    let withheld = 0;
    for (const event of this.#events) {
      if (!countsToward(budget, event) || slotKeyOf(budget, event.created_at).period !== span.id) continue;
      settled += event.cost_microcents;
      withheld += withheldBy(event.budget_flags, budget);
    }
    return { settledMicrocents: microcents(settled), withheldMicrocents: microcents(withheld) };
  }

  record(event: Event): void {
    const slots = this.slotsOf(event);
    this.#events.push(event);
    for (const slot of slots) {
      const budget = this.stored().budgets.get(slot.key.budgetId);
      const withheld = budget === undefined ? 0 : withheldBy(event.budget_flags, budget);
      slot.settledMicrocents += event.cost_microcents + withheld;
    }
  }

  ship(): void {
    this.#shippedCount = this.#events.length;
  }

  shipped(name: string): number {
    const slot = this.#slots.get(name);
    return slot === undefined ? 0 : this.#spentOf(slot, this.#events.slice(0, this.#shippedCount));
  }

  #spentOf({ name, key }: SimulatedSlot, events: readonly Event[]): number {
    const budget = this.stored().budgets.get(key.budgetId);
    let spent = 0;
    if (budget?.sinceMs !== key.sinceMs) return spent;
    for (const event of events) {
      if (!countsToward(budget, event) || nameOf(slotKeyOf(budget, event.created_at)) !== name) continue;
      spent += event.cost_microcents + withheldBy(event.budget_flags, budget);
    }
    return spent;
  }

  /** Where the event counts, as the budgets are stored. */
  slotsOf(event: Event): SimulatedSlot[] {
    const budgets = [...this.stored().budgets.values()];
    return budgets
      .filter(budget => countsToward(budget, event))
      .map(budget => this.slot(slotKeyOf(budget, event.created_at)));
  }

  slots(): Iterable<SimulatedSlot> {
    return this.#slots.values();
  }

  find(name: string): SimulatedSlot | undefined {
    return this.#slots.get(name);
  }

  slot({ budgetId, sinceMs, period }: SlotKey): SimulatedSlot {
    const key = { budgetId, sinceMs, period };
    const name = nameOf(key);
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot = new SimulatedSlot(name, key);
    this.#slots.set(name, slot);
    const spent = this.#spentOf(slot, this.#events);
    slot.settledMicrocents = spent;
    // By a clock that is ahead, or in the millisecond of a reset: the report contains it.
    if (spent > 0) slot.uncovered.push({ isUnblocked: true, microcents: spent });
    return slot;
  }
}

export function slotKeyOf(budget: Budget, createdAtMs: number): SlotKey {
  const { id: period } = periodSpan(budget.period, countedAt(budget, createdAtMs));
  return { budgetId: budget.id, sinceMs: budget.sinceMs, period };
}
