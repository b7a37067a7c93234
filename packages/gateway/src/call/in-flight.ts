import type { Meter } from "@tollgate/providers/meter";
import type { Call } from "./call.ts";
import { type Indexed, SwapRemoveList } from "./swap-remove-list.ts";

const LOOK_EVERY_MS = 5;
/** How long the last bytes may take to reach clients, and interrupted calls to settle. */
const LAST_BYTES_MS = 2000;

export interface InterruptibleCall extends Indexed {
  interrupt(): void;
}

export interface CallUnderWay extends InterruptibleCall {
  readonly call: Call;
  readonly meter: Meter;
}

/** The calls in flight: a shutdown waits for them and interrupts those that outlast its patience. */
export class InFlight<One extends InterruptibleCall = CallUnderWay> {
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

  /** Resolves when all of these have their events, or patience ends. */
  settled(calls: readonly One[], patienceMs: number): Promise<void> {
    return until(() => calls.every(({ index: place }) => place === -1), patienceMs);
  }

  /**
   * Resolves when no call is left and every answer was sent. After `patienceMs` the calls that remain are
   * interrupted, and then settle. `answering` counts requests that the server has not answered to the end: a call
   * that was settled still has its last bytes to send, and one that is being read has not become a call yet.
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
