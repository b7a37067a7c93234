/**
 * Turns pairs into independent values: pairs of one session are correlated, so they count as one value, their mean.
 *
 * A test that is evaluated after every value is valid if no value can be predicted from earlier ones. A mean that still
 * grows can be. So a session is one value, which enters once: when its window is over, a fixed time after its first
 * pair, independent of any score. Sessions therefore enter in the order in which they started, not the short ones first.
 * Pairs after their session's window do not count, because a second value of the session could be predicted from the
 * first. A pair without a session is its own value, immediately.
 */
export class SessionMeans {
  /** In the order of their first pairs. */
  readonly #open = new Map<string, { readonly closesAtMs: number; sum: number; pairs: number }>();
  readonly #closed = new Set<string>();

  constructor(private readonly windowMs: number) {}

  /** First closes sessions that are over by then. Values enter in order; false: the pair came too late. */
  add(
    pair: { readonly score: number; readonly sessionId: string | null; readonly recordedAtMs: number },
    enter: (value: number) => void,
  ): boolean {
    this.closeUntil(pair.recordedAtMs, enter);
    const { sessionId, score, recordedAtMs } = pair;
    if (sessionId === null) {
      enter(score);
      return true;
    }
    if (this.#closed.has(sessionId)) return false;
    const session = this.#open.get(sessionId);
    if (session === undefined) {
      this.#open.set(sessionId, { closesAtMs: recordedAtMs + this.windowMs, sum: score, pairs: 1 });
    } else {
      session.sum += score;
      session.pairs += 1;
    }
    return true;
  }

  /** When the next session's window ends; Infinity: none is open. */
  get nextCloseMs(): number {
    for (const { closesAtMs } of this.#open.values()) return closesAtMs;
    return Infinity;
  }

  closeUntil(nowMs: number, enter: (value: number) => void): void {
    for (const [id, { closesAtMs, sum, pairs }] of this.#open) {
      if (closesAtMs > nowMs) break;
      this.#open.delete(id);
      this.#closed.add(id);
      enter(sum / pairs);
    }
  }

  /** The trial is over, for a reason that does not depend on scores: open sessions enter as they are. */
  closeAll(enter: (value: number) => void): void {
    this.closeUntil(Infinity, enter);
  }
}
