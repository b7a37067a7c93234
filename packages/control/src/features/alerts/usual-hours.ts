import type { LastHourObservation } from "@tollgate/core/alerts/error-rate";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { startOfHour } from "@tollgate/core/time/start-of-day";
import { type Scope, scopeName } from "@tollgate/storage/ledger/scope";
import type { UsageWatch } from "@tollgate/storage/read-model/reading/watch-usage";

const HOURS_COMPARED = 7 * 24;

type Usual = LastHourObservation["usual"];

/** A scope's usual calls per hour, read once for each hour it is compared with. */
export class UsualHours {
  readonly #known = new Map<string, { readonly before: number; readonly usual: Usual }>();

  constructor(private readonly usage: UsageWatch) {}

  /** Over the seven days before the hour that ends at `at`, in whole hours, since the first activity. */
  async before(scope: Scope, at: number): Promise<Usual> {
    const before = startBefore(at);
    const name = scopeName(scope);
    const known = this.#known.get(name);
    if (known?.before === before) return known.usual;
    const usual = await this.#read(scope, before);
    this.#known.set(name, { before, usual });
    return usual;
  }

  /** A call arrived late and belongs to an hour of the baseline. */
  forget(scope: Scope): void {
    this.#known.delete(scopeName(scope));
  }

  clear(): void {
    this.#known.clear();
  }

  async #read(scope: Scope, before: number): Promise<Usual> {
    const first = await this.usage.firstHour(scope);
    if (first === null || first >= before) return { calls: 0, hours: 0 };
    const from = Math.max(first, before - HOURS_COMPARED * HOUR_MS);
    const calls = await this.usage.callsOfHours(scope, { from, to: before });
    return { calls, hours: (before - from) / HOUR_MS };
  }
}

/** Times with the same number share a baseline. */
export function startBefore(at: number): number {
  return startOfHour(at - HOUR_MS);
}
