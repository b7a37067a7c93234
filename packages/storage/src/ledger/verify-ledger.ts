import { type Budget, countedAt, countsToward } from "@tollgate/core/budgets/budget";
import { periodSpan } from "@tollgate/core/budgets/period";
import { type Event, isVerification } from "@tollgate/core/event";
import { addUsage, inputTokens, outputTokens } from "@tollgate/core/money/usage";
import { costOfParts } from "@tollgate/core/pricing/cost";
import type { RateCard } from "@tollgate/core/pricing/rates";
import { usageParts } from "@tollgate/core/pricing/usage-parts";
import { monthOf } from "@tollgate/core/time/month";
import type { LedgerReader } from "./ledger-reader.ts";
import { rateCardFinder } from "./rate-card-finder.ts";

interface Verification {
  readonly ok: boolean;
  /** Those that are in the ledger; the sums below include what retention has removed. */
  readonly events: number;
  readonly removed_events: number;
  /** Events admitted before are gone, unless they were reported late; null: none is. */
  readonly history_begins_at_ms: number | null;
  /** Live events only; test traffic costs nothing. */
  readonly cost_microcents: number;
  readonly test_cost_microcents: number;
  /** Live events whose cost was unknown when they happened. */
  readonly unpriced_calls: number;
  readonly test_unpriced_calls: number;
  /** Calls in flight, or waiting for the next start to settle them. */
  readonly open_intents: number;
  readonly differences: readonly string[];
}

const BATCH = 5000;
const MAX_REPORTED = 100;

/**
 * Recomputes everything that is derived from the ledger: every cost from its tokens and the rates of its price version,
 * every total from its parts. Reports any difference, even of one microcent.
 */
export function verifyLedger(
  reader: LedgerReader,
  onProgress: (events: number) => void = () => {},
  /** Budgets whose spend is also checked. */
  budgets: readonly Budget[] = [],
): Verification {
  const differences: string[] = [];
  const report = (difference: string) => {
    if (differences.length < MAX_REPORTED) differences.push(difference);
  };
  const cardOf = rateCardFinder(reader);
  const calls = new Map<string, number>();
  let events = 0;
  const cost = { live: 0, test: 0 };
  const unpriced = { live: 0, test: 0 };
  // Counted first: the gateway may keep writing, and later events are not compared.
  const counted = new Map(reader.monthlyCalls().map(row => [`${row.org_id} ${row.month}`, row.calls]));
  const beginning = reader.beginning();
  const spends = new SpendCheck(reader, budgets, beginning.atMs);
  let removedEvents = 0;
  for (const removed of reader.removedEvents()) {
    removedEvents += removed.events;
    cost[removed.mode] += removed.cost_microcents;
    unpriced[removed.mode] += removed.unpriced_calls;
    if (removed.mode === "live" && removed.calls > 0) {
      calls.set(`${removed.org_id} ${removed.month}`, removed.calls);
    }
  }
  const countedUpTo = reader.newest(1)[0]?.seq ?? 0;

  let cursor = 0;
  for (;;) {
    const batch = reader.after(cursor, BATCH).filter(({ seq }) => seq <= countedUpTo);
    if (batch.length === 0) break;
    for (const { seq, event } of batch) {
      cursor = seq;
      events++;
      cost[event.mode] += event.cost_microcents;
      if (event.cost_basis === "unpriced") unpriced[event.mode]++;
      if (event.mode === "live" && !isVerification(event.source)) {
        const key = `${event.org_id} ${monthOf(event.created_at)}`;
        calls.set(key, (calls.get(key) ?? 0) + 1);
      }
      spends.add(event);
      const problem = checkEvent(event, cardOf);
      if (problem) report(`event ${event.id}: ${problem}`);
    }
    onProgress(events);
  }
  for (const key of new Set([...calls.keys(), ...counted.keys()])) {
    const derived = calls.get(key) ?? 0;
    const stored = counted.get(key) ?? 0;
    // A call settled between the two reads is in the events and not yet in the count, never the other way round.
    if (derived < stored || (derived > stored && isUnchanged(reader, countedUpTo))) {
      report(`monthly calls of ${key}: ${stored} counted, ${derived} in the ledger`);
    }
  }
  spends.report(() => isUnchanged(reader, countedUpTo), report);
  // Events were removed under way: some were counted neither here nor there.
  if (reader.beginning().seq !== beginning.seq) return verifyLedger(reader, onProgress, budgets);
  return {
    ok: differences.length === 0,
    events,
    removed_events: removedEvents,
    history_begins_at_ms: beginning.seq === 0 ? null : beginning.atMs,
    cost_microcents: cost.live,
    test_cost_microcents: cost.test,
    unpriced_calls: unpriced.live,
    test_unpriced_calls: unpriced.test,
    open_intents: reader.openIntents(),
    differences,
  };
}

/** Checks every sum of `budget_spend` against the events. A budget without a row is still unknown to the gateway. */
class SpendCheck {
  readonly #stored = new Map<string, number>();
  readonly #derived = new Map<string, number>();
  readonly #counted: Budget[] = [];

  constructor(
    reader: LedgerReader,
    budgets: readonly Budget[],
    private readonly beginsAtMs: number,
  ) {
    const rows = reader.budgetSpends();
    for (const budget of budgets) {
      const own = rows.filter(row => row.budget_id === budget.id && row.since === budget.sinceMs);
      if (own.length > 0) this.#counted.push(budget);
      for (const row of own) this.#stored.set(`${budget.id} in ${row.period}`, row.spent_microcents);
    }
  }

  add(event: Event): void {
    for (const budget of this.#counted) {
      if (budget.orgId !== event.org_id || budget.mode !== event.mode) continue;
      if (!countsToward(budget, event)) continue;
      const key = `${budget.id} in ${periodSpan(budget.period, countedAt(budget, event.created_at)).id}`;
      this.#derived.set(key, (this.#derived.get(key) ?? 0) + event.cost_microcents);
    }
  }

  #startOf(key: string): number {
    const period = key.slice(key.lastIndexOf(" ") + 1);
    return period === "lifetime" ? 0 : Date.parse(period);
  }

  report(isUnchanged: () => boolean, report: (difference: string) => void): void {
    for (const key of new Set([...this.#stored.keys(), ...this.#derived.keys()])) {
      const derived = this.#derived.get(key) ?? 0;
      const stored = this.#stored.get(key) ?? 0;
      // Some of its events are gone: what is left can only be less.
      if (derived <= stored && this.#startOf(key) < this.beginsAtMs) continue;
      if (derived < stored || (derived > stored && isUnchanged())) {
        report(`spend of budget ${key}: ${stored} counted, ${derived} in the ledger`);
      }
    }
  }
}

function isUnchanged(reader: LedgerReader, seq: number): boolean {
  return (reader.newest(1)[0]?.seq ?? 0) === seq && reader.openIntents() === 0;
}

function checkEvent(event: Event, cardOf: (version: string) => RateCard | null): string | null {
  const additional = event.additional_usage ?? [];
  const all = additional.reduce((sum, part) => addUsage(sum, part.usage), event.usage);
  if (inputTokens(all) !== event.input_tokens) return "input_tokens is not the sum of its kinds";
  if (outputTokens(all) !== event.output_tokens) return "output_tokens is not the sum of its kinds";
  if (event.cost_basis === "unpriced" || event.usage_source === "none") {
    return event.cost_microcents === 0 ? null : "a cost without a price";
  }
  if (event.cost_basis === "reported") return null;
  const priced = [];
  for (const { usage, price_version: version } of usageParts(event)) {
    const card = version === null ? null : cardOf(version);
    if (card === null) return `the rates of price version ${version} are not in the ledger`;
    priced.push({ usage, card });
  }
  const expected = costOfParts(priced);
  if (expected === event.cost_microcents) return null;
  return `cost is ${event.cost_microcents}, tokens × rates give ${expected}`;
}
