import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import { type Scope, scopeName } from "@tollgate/storage/ledger/scope";
import type { BurstAnswer, BurstCounter } from "@tollgate/storage/shared-limits/burst-counter";
import { answerInTime } from "./answer-in-time.ts";

const WINDOW_MS = 60_000;
/** How long a call waits for the counter at most; then its gateway's share decides. */
const PATIENCE_MS = 5;
/** One late answer may be a pause of this process; this many in a row mean that the counter has stalled. */
const MAX_LATE = 3;
const RETRY_MS = 500;

/** What the counter decided about a call. */
export interface BurstGrant {
  /** The call is admitted only if this gateway has admitted fewer calls than this in the window. */
  readonly ownLimit: number;
  /** null: it did not answer in time, and decided nothing. */
  readonly answer: BurstAnswer | null;
  /** The call is not made. */
  giveBack(): void;
}

interface Parts {
  /** null: there is no Redis. */
  readonly counter: BurstCounter | null;
  readonly liveNodes: () => number;
  readonly newSlot: () => string;
  /** Monotonic. */
  readonly uptimeMs: () => number;
  readonly changed: (isCounting: boolean, fault?: unknown) => void;
  /** A call was decided by its gateway's share although there is a counter. */
  readonly fellBack: () => void;
  readonly patienceMs?: number;
}

/**
 * A burst limit of several gateways. With a counter that all of them use it is exact. Without one, or while it does not
 * answer, each gateway admits an equal share.
 */
export class SharedBurst {
  #isCounting = false;
  /** The first attempt to connect is over. */
  #hasBegun = false;
  #lateAnswers = 0;
  /** Until then the counter does not know all calls of the last minute: both it and the share have to admit a call. */
  #completeAtMs = 0;
  readonly #totals = new Map<string, { readonly used: number; readonly untilMs: number }>();

  constructor(private readonly parts: Parts) {}

  get hasCounter(): boolean {
    return this.parts.counter !== null;
  }

  get isCounting(): boolean {
    return this.#isCounting;
  }

  /** What this gateway may admit in the window before the counter is asked. */
  ownLimit(limit: number): number {
    return this.#isComplete ? limit : this.#shareOf(limit);
  }

  /** null: the limit is not shared, or the counter is unavailable. */
  ask(scope: Scope, limit: number): Promise<BurstGrant> | null {
    const { counter } = this.parts;
    if (counter === null) return null;
    if (this.#isCounting) return this.#ask(counter, scope, limit);
    this.parts.fellBack();
    this.#missCall();
    return null;
  }

  /** The calls of all gateways, as of the last answer; null if it is not recent. */
  total(scope: Scope): { readonly used: number; readonly leftMs: number } | null {
    if (!this.#isComplete) return null;
    const total = this.#totals.get(scopeName(scope));
    if (total === undefined) return null;
    const leftMs = total.untilMs - this.parts.uptimeMs();
    return leftMs > 0 ? { used: total.used, leftMs } : null;
  }

  /** Connects, and connects again when the counter was lost, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { counter } = this.parts;
    if (counter === null) return;
    await repeatUntil(
      signal,
      RETRY_MS,
      async () => {
        if (!this.#isCounting) await this.#connect(counter);
      },
      fault => {
        // Once for each loss, and once if it was never there.
        if (!this.#hasBegun) this.parts.changed(false, fault);
        this.#hasBegun = true;
      },
    );
    counter.disconnect();
  }

  async #connect(counter: BurstCounter): Promise<void> {
    await counter.reconnect();
    this.#isCounting = true;
    this.#hasBegun = true;
    this.#lateAnswers = 0;
    this.parts.changed(true);
  }

  async #ask(counter: BurstCounter, scope: Scope, limit: number): Promise<BurstGrant> {
    const slot = this.parts.newSlot();
    const asked = counter.take(scope, slot, limit);
    const answer = await this.#answerInTime(asked);
    const giveBack = () => {
      // Also if it did not answer in time: it may have given the slot all the same.
      if (answer?.isAdmitted !== false) counter.giveBack(scope, slot).catch(fault => this.#lose(fault));
    };
    if (answer === null) {
      this.parts.fellBack();
      // A late answer may still say that the call was counted.
      asked.then(
        late => late.isAdmitted || this.#missCall(),
        () => this.#missCall(),
      );
      return { ownLimit: this.#shareOf(limit), answer, giveBack };
    }
    const now = this.parts.uptimeMs();
    // It was emptied: only calls from then on are counted.
    this.#completeAtMs = Math.max(this.#completeAtMs, now + WINDOW_MS - answer.ageMs);
    this.#totals.set(scopeName(scope), { used: answer.used, untilMs: now + answer.waitMs });
    return { ownLimit: this.ownLimit(limit), answer, giveBack };
  }

  async #answerInTime(asked: Promise<BurstAnswer>): Promise<BurstAnswer | null> {
    try {
      const answer = await answerInTime(asked, this.parts.patienceMs ?? PATIENCE_MS);
      this.#lateAnswers = answer === null ? this.#lateAnswers + 1 : 0;
      if (this.#lateAnswers >= MAX_LATE) this.#lose(new Error("Redis answers too late"));
      return answer;
    } catch (fault) {
      this.#lose(fault);
      return null;
    }
  }

  #lose(fault: unknown): void {
    if (!this.#isCounting) return;
    this.#isCounting = false;
    this.#totals.clear();
    this.parts.counter?.disconnect();
    this.parts.changed(false, fault);
  }

  /** A call of this gateway may have been admitted without being counted. */
  #missCall(): void {
    this.#completeAtMs = this.parts.uptimeMs() + WINDOW_MS;
  }

  get #isComplete(): boolean {
    return this.#isCounting && this.parts.uptimeMs() >= this.#completeAtMs;
  }

  #shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit / Math.max(1, this.parts.liveNodes())));
  }
}
