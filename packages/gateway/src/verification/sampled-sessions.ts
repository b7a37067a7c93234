import { SESSION_WINDOW_MS } from "@tollgate/core/verification/trial-plan";

const MANY_SESSIONS = 10_000;

/** A trial counts only pairs of a session soon after its first: later ones would waste money. */
export class SampledSessions {
  readonly #firstAtMs = new Map<string, number>();

  isOver(verificationId: string, sessionId: string | null, nowMs: number): boolean {
    if (sessionId === null) return false;
    const name = `${verificationId} ${sessionId}`;
    const firstAtMs = this.#firstAtMs.get(name);
    if (firstAtMs !== undefined) return nowMs - firstAtMs >= SESSION_WINDOW_MS;
    // Also forgotten after a restart: the trial itself ignores late pairs.
    if (this.#firstAtMs.size >= MANY_SESSIONS) this.#firstAtMs.clear();
    this.#firstAtMs.set(name, nowMs);
    return false;
  }
}
