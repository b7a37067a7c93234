import type { Mode } from "@tollgate/core/event";

/** How long a call goes on waiting: for headroom, only for an answer of the bank to a request in flight, or not at all. */
export type Patience = "patient" | "until answered" | "over";

interface Waiter {
  readonly group: string;
  /** True once the call was admitted or refused. */
  tryAgain(): boolean;
}

interface Waiting {
  readonly orgId: string;
  readonly mode: Mode;
  /** Calls of the same group count toward the same budgets. */
  readonly group: string;
}

/** After this many failures in a row, the rest of a group is skipped: it would most likely fail, too. */
const MAX_FAILURES = 64;

/**
 * Calls blocked only by reservations: a call in flight may cost less than it reserved. They are retried in order of
 * arrival whenever a call ends, and when their patience runs out. From then on each retry admits or refuses, unless a request
 * to the bank is in flight, and even that is awaited for a limited time.
 */
export class HeadroomQueue {
  readonly #waiters = { live: new Map<string, Set<Waiter>>(), test: new Map<string, Set<Waiter>>() };

  #isWaking = false;

  constructor(
    private readonly patienceMs: number,
    private readonly maxAnswersMs: number,
  ) {}

  /** `tryAgain` returns null to keep waiting, but not when the patience is over. */
  wait<Slot>(org: Waiting, tryAgain: (patience: Patience) => Slot | null): Promise<Slot> {
    return new Promise((resolve, reject) => {
      let patience: Patience = "patient";
      const waiter: Waiter = {
        group: org.group,
        tryAgain: () => {
          try {
            const slot = tryAgain(patience);
            if (slot === null && patience !== "over") return false;
            if (slot === null) throw new Error("a call that waited was neither admitted nor refused");
            resolve(slot);
          } catch (refusal) {
            reject(refusal);
          }
          clearTimeout(timer);
          return true;
        },
      };
      const lose = (changed: Patience) => {
        patience = changed;
        if (waiter.tryAgain()) this.#leave(org, waiter);
        else timer = setTimeout(() => lose("over"), this.maxAnswersMs);
      };
      let timer = setTimeout(() => lose("until answered"), this.patienceMs);
      this.#enter(org, waiter);
    });
  }

  /** Call when a call of this organization has ended. */
  wake(orgId: string, mode: Mode): void {
    const waiters = this.#waiters[mode].get(orgId);
    // A retry may itself settle an event: do not re-enter.
    if (waiters === undefined || this.#isWaking) return;
    this.#isWaking = true;
    const failures = new Map<string, number>();
    for (const waiter of waiters) {
      const failed = failures.get(waiter.group) ?? 0;
      // Trying a thousand calls whenever one of them ends would take more time than serving them.
      if (failed >= MAX_FAILURES) continue;
      const isDecided = waiter.tryAgain();
      if (isDecided) waiters.delete(waiter);
      failures.set(waiter.group, isDecided ? 0 : failed + 1);
    }
    this.#isWaking = false;
    if (waiters.size === 0) this.#waiters[mode].delete(orgId);
  }

  #enter({ orgId, mode }: Waiting, waiter: Waiter): void {
    const waiters = this.#waiters[mode].get(orgId);
    if (waiters) waiters.add(waiter);
    else this.#waiters[mode].set(orgId, new Set([waiter]));
  }

  #leave({ orgId, mode }: Waiting, waiter: Waiter): void {
    const waiters = this.#waiters[mode].get(orgId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiters[mode].delete(orgId);
  }
}
