import type { Meter } from "@tollgate/providers/meter";
import type { Call } from "./call.ts";
import { type Indexed, SwapRemoveList } from "./swap-remove-list.ts";

const LOOK_EVERY_MS = 5;
/** Time for the last bytes to reach clients, and for interrupted calls to settle. */
const LAST_BYTES_MS = 2000;

export interface InterruptibleCall extends Indexed {
  interrupt(): void;
}

export interface CallInFlight extends InterruptibleCall {
  readonly call: Call;
  readonly meter: Meter;
}

/** The calls in flight. A shutdown waits for them and interrupts those that outlast its patience. */
export class InFlight<One extends InterruptibleCall = CallInFlight> {
  readonly #calls = new SwapRemoveList<One>();
  draining = false;

  get size(): number {
    return this.#calls.size;
  }

  all(): readonly One[] {
    return this.#calls.all();
  }

  enter(call: One): void {
    this.#calls.add(call);
  }

  leave(call: One): void {
    this.#calls.remove(call);
  }

  /** Resolves when all of these have their events, or the patience is over. */
  settled(calls: readonly One[], patienceMs: number): Promise<void> {
    return until(() => calls.every(({ index }) => index === -1), patienceMs);
  }

  /**
   * Resolves when no call is left and every answer was sent. After `patienceMs` the remaining calls are interrupted,
   * and then settle. `answering` counts requests that the server has not fully answered: a settled call may still be
   * sending its last bytes, and a request being read is not a call yet.
   */
  async drain(patienceMs: number, answering: () => number): Promise<void> {
    this.draining = true;
    const isDone = () => this.size === 0 && answering() === 0;
    await until(isDone, patienceMs);
    for (const call of this.#calls.all()) if (call.index !== -1) call.interrupt();
    await until(isDone, LAST_BYTES_MS);
  }
}

async function until(isTrue: () => boolean, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!isTrue() && performance.now() < end) await Bun.sleep(LOOK_EVERY_MS);
}
