import type { Mode } from "@tollgate/core/event";

interface Waiter {
  /** True once the call was admitted or refused. */
  tryAgain(isLastTime: boolean): boolean;
}

interface Waiting {
  readonly orgId: string;
  readonly mode: Mode;
}

/**
 * Calls blocked only by reservations: a call in flight may cost less than it reserved. They are retried in order of
 * arrival whenever a call ends, and one last time when their patience runs out.
 */
export class HeadroomQueue {
  readonly #waiters = { live: new Map<string, Set<Waiter>>(), test: new Map<string, Set<Waiter>>() };

  #isWaking = false;

  constructor(private readonly patienceMs: number) {}

  /** `tryAgain` returns null to keep waiting; the last time it must decide. */
  wait<Slot>(org: Waiting, tryAgain: (isLastTime: boolean) => Slot | null): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        tryAgain: isLastTime => {
          try {
            const slot = tryAgain(isLastTime);
            if (slot === null && !isLastTime) return false;
            if (slot === null) throw new Error("a call that waited was neither admitted nor refused");
            resolve(slot);
          } catch (refusal) {
            reject(refusal);
          }
          clearTimeout(timer);
          return true;
        },
      };
      const timer = setTimeout(() => {
        this.#leave(org, waiter);
        waiter.tryAgain(true);
      }, this.patienceMs);
      this.#enter(org, waiter);
    });
  }

  /** Call when a call of this organization has ended. */
  wake(orgId: string, mode: Mode): void {
    const waiters = this.#waiters[mode].get(orgId);
    // A retry may itself settle an event: do not re-enter.
    if (waiters === undefined || this.#isWaking) return;
    this.#isWaking = true;
    for (const waiter of waiters) if (waiter.tryAgain(false)) waiters.delete(waiter);
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
