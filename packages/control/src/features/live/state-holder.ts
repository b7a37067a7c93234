import type { Event } from "@tollgate/core/event";
import type { SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";
import type { LiveState, SeedPieces } from "./live-state.ts";

const RETRY_AFTER_MS = 500;
/** A seed farther behind than this is not caught up from the ledger: the read model's follower is quicker. */
const MAX_LAG = 20_000;
const EVENTS_PER_PIECE = 1000;

interface HolderParts {
  /** Creates an unseeded state. */
  readonly create: () => LiveState;
  /** The ledger seq up to which everything was published. */
  readonly publishedUpTo: () => number;
  readonly read: (after: number, upTo: number, atMost: number) => SequencedEvent[];
  /** Schedules the work, whole or a piece of it. */
  readonly inTurn: { readonly seeding: SeedPieces; readonly piece: SeedPieces };
  readonly onFault: (fault: unknown) => void;
}

/**
 * Holds a state that was seeded at one ledger position and has counted every event since exactly once. Reseeding,
 * after something other than events changed the sums, runs in the background until the new state is ready.
 */
export class StateHolder {
  #state: LiveState | null = null;
  #upTo = 0;
  #isSeeding = false;
  #isSeedWanted = false;
  readonly #dropped = new AbortController();
  nextAt = 0;
  /** Even urgent changes wait until then. */
  restUntil = 0;

  constructor(private readonly parts: HolderParts) {
    this.reseed();
  }

  /** null: not seeded yet. */
  get state(): LiveState | null {
    return this.#state;
  }

  add(seq: number, event: Event): void {
    if (this.#state === null || seq <= this.#upTo) return;
    this.#upTo = seq;
    this.#state.add(event);
  }

  reseed(): void {
    this.#isSeedWanted = true;
    if (!this.#isSeeding) void this.#seed();
  }

  drop(): void {
    this.#dropped.abort();
  }

  async #seed(): Promise<void> {
    this.#isSeeding = true;
    const { signal } = this.#dropped;
    while (this.#isSeedWanted && !signal.aborted) {
      // Cleared before reading: a reseed requested during the read may concern something that this read misses.
      this.#isSeedWanted = false;
      try {
        if (!(await this.parts.inTurn.seeding(() => this.#seedOnce(signal)))) this.#isSeedWanted = true;
      } catch (fault) {
        if (signal.aborted) break;
        this.#isSeedWanted = true;
        this.parts.onFault(fault);
      }
      if (this.#isSeedWanted) await Bun.sleep(RETRY_AFTER_MS);
    }
    this.#isSeeding = false;
  }

  async #seedOnce(signal: AbortSignal): Promise<boolean> {
    const { create, publishedUpTo, read, inTurn } = this.parts;
    const piece: SeedPieces = work =>
      inTurn.piece(() => {
        signal.throwIfAborted();
        return work();
      });
    const state = create();
    let upTo = await state.seed(piece);
    if (publishedUpTo() - upTo > MAX_LAG) return false;
    // The last step is synchronous: nothing is published between reading and installing the state.
    while (upTo < publishedUpTo()) {
      upTo = await piece(() => {
        const end = Math.min(publishedUpTo(), upTo + EVENTS_PER_PIECE);
        for (const { event } of read(upTo, end, EVENTS_PER_PIECE)) state.add(event);
        return end;
      });
    }
    this.#upTo = upTo;
    this.#state = state;
    state.refresh();
    return true;
  }
}
