import { DAY_MS } from "@tollgate/core/time/durations";
import { type Scope, scopeName } from "@tollgate/storage/ledger/scope";
import type { UsageWatch } from "@tollgate/storage/read-model/reading/watch-usage";

const DAYS_COMPARED = 7;
/** Short-lived, because rerating changes past costs without notice. */
const KEPT_MS = 60_000;

/** The costs of the full days before a day. These days have ended, so they are rarely read again. */
export class UsualDays {
  readonly #known = new Map<
    string,
    { readonly day: number; readonly readAt: number; readonly costs: number[] }
  >();

  constructor(private readonly usage: UsageWatch) {}

  /** At most seven, since the first activity, oldest first; a day without calls is 0. */
  async before(scope: Scope, day: number): Promise<readonly number[]> {
    const name = scopeName(scope);
    const known = this.#known.get(name);
    const now = performance.now();
    if (known?.day === day && now - known.readAt < KEPT_MS) return known.costs;
    const costs = await this.#read(scope, day);
    this.#known.set(name, { day, readAt: now, costs });
    return costs;
  }

  /** A call arrived late and belongs to a day that has ended. */
  forget(scope: Scope): void {
    this.#known.delete(scopeName(scope));
  }

  clear(): void {
    this.#known.clear();
  }

  async #read(scope: Scope, day: number): Promise<number[]> {
    const first = await this.usage.firstDay(scope);
    if (first === null || first >= day) return [];
    const from = Math.max(first, day - DAYS_COMPARED * DAY_MS);
    const known = await this.usage.costByDay(scope, { from, to: day });
    const costs: number[] = [];
    for (let before = from; before < day; before += DAY_MS)
      costs.push(known.get(before)?.costMicrocents ?? 0);
    return costs;
  }
}
