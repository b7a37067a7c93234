import { HOUR_MS } from "../time/durations.ts";

/** Resolution of the last hour: a call leaves it up to ten seconds late. */
export const RECENT_STEP_MS = 10_000;

/** An agent's calls of the last 60 minutes, in bounded memory. */
export class RecentCalls {
  readonly #steps = new Map<number, { calls: number; errors: number }>();

  add(atMs: number, calls: number, errors: number): void {
    const step = atMs - (atMs % RECENT_STEP_MS);
    const sum = this.#steps.get(step);
    if (sum === undefined) {
      this.#steps.set(step, { calls, errors });
      return;
    }
    sum.calls += calls;
    sum.errors += errors;
  }

  within(now: number): { readonly calls: number; readonly errors: number } {
    let calls = 0;
    let errors = 0;
    for (const [step, sum] of this.#steps) {
      if (step + RECENT_STEP_MS <= now - HOUR_MS) {
        this.#steps.delete(step);
        continue;
      }
      calls += sum.calls;
      errors += sum.errors;
    }
    return { calls, errors };
  }
}
