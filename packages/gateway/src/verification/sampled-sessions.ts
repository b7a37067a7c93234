import { SESSION_WINDOW_MS } from "@tollgate/core/verification/trial-plan";

const MANY_SESSIONS = 10_000;

/** A trial counts the pairs of a session that come soon after its first: later ones would cost money for nothing. */
export class SampledSessions {
  readonly #firstAtMs = new Map<string, number>();

  isOver(verificationId: string, sessionId: string | null, nowMs: number): boolean {
    if (sessionId === null) return false;
    const name = `${verificationId} ${sessionId}`;
    const firstAtMs = this.#firstAtMs.get(name);
    if (firstAtMs !== undefined) return nowMs - firstAtMs >= SESSION_WINDOW_MS;
    // Forgotten after a restart, too: the trial itself does not count what comes too late.
    if (this.#firstAtMs.size >= MANY_SESSIONS) this.#firstAtMs.clear();
    this.#firstAtMs.set(name, nowMs);
    return false;
  }
}
