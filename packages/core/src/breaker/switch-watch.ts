import { z } from "zod";
import type { RollbackReason } from "../decisions/vocabulary.ts";
import { ArmSums } from "../experiments/arm-sums.ts";
import { LatencyCounts } from "../experiments/latency-counts.ts";
import { ALPHA, type Arms, mayDecide, SequentialTest } from "../experiments/sequential-test.ts";
import { armsText, emptyArms, parseArms, storedArms, sumsText } from "../experiments/stored-arms.ts";
import { TAU } from "../experiments/tally.ts";
import { withBoth } from "../experiments/with-both.ts";
import { exceeds } from "../statistics/exceeds.ts";
import { DAY_MS } from "../time/durations.ts";

/** A switch is watched for this long… */
export const WATCH_MS = DAY_MS;
/** …and compared with the agent's calls of this long before it. */
export const BASELINE_MS = 7 * WATCH_MS;

/** The guards: a smaller worsening is left alone, however certain it is. The first two warn in a verification, too. */
const MORE_ERRORS = 0.01;
const SLOWER_TIMES = 1.5;
const SLOWER_MS = 500;
const MORE_FAILED_OUTCOMES = 0.05;

/** Three metrics are watched, and together they are as strict as one experiment. */
const ALPHA_EACH = ALPHA / 3;
const PERCENTILE = 0.95;

export interface WatchedCall {
  /** null: a session of its own. */
  readonly sessionId: string | null;
  readonly latencyMs: number;
  readonly isError: boolean;
}

/** A session's sums before the call that is being added. */
export interface WatchedSession {
  readonly calls: number;
  readonly errors: number;
  readonly slow_calls: number;
}

const NEW_SESSION: WatchedSession = { calls: 0, errors: 0, slow_calls: 0 };

export interface Worsening {
  readonly reason: Extract<RollbackReason, "error_rate" | "latency" | "outcomes">;
  /** Shares: of failed calls, of calls slower than `slowMs`, of failed outcomes. */
  readonly before: number;
  readonly after: number;
  /** Calls or outcomes. */
  readonly samplesBefore: number;
  readonly samplesAfter: number;
  readonly slowMs: number | null;
}

/**
 * Compares an agent's calls after a model switch with those before it, by the sequential test of experiments: before is
 * the control, after the treatment. Every sample is 1 if it is bad. A call is slow if it takes over half as long again
 * as the 95th percentile before; if more than one in twenty does, that percentile has risen by more than half.
 */
export class SwitchWatch {
  private constructor(
    /** null: there were no calls before. */
    readonly slowMs: number | null,
    readonly errors: Arms<ArmSums>,
    readonly slow: Arms<ArmSums>,
    readonly failedOutcomesBefore: ArmSums,
  ) {}

  static of(before: Iterable<WatchedCall>, failedOutcomesBefore: ArmSums): SwitchWatch {
    const calls = [...before];
    const p95 = new LatencyCounts(calls.map(({ latencyMs }) => [latencyMs, 1])).percentile(PERCENTILE);
    const watch = new SwitchWatch(
      p95 === null ? null : Math.max(p95 * SLOWER_TIMES, p95 + SLOWER_MS),
      emptyArms(),
      emptyArms(),
      failedOutcomesBefore,
    );
    const sessions = new Map<string, WatchedSession>();
    for (const call of calls) {
      const { sessionId } = call;
      const known = sessionId === null ? undefined : sessions.get(sessionId);
      const sums = watch.#count("control", call, known ?? NEW_SESSION);
      if (sessionId !== null) sessions.set(sessionId, sums);
    }
    return watch;
  }

  static parse(text: string): SwitchWatch {
    const { slow_ms, errors, slow, failed_outcomes_before } = storedWatch.parse(JSON.parse(text));
    return new SwitchWatch(
      slow_ms,
      parseArms(errors),
      parseArms(slow),
      ArmSums.parse(failed_outcomes_before),
    );
  }

  toText(): string {
    const stored: z.input<typeof storedWatch> = {
      slow_ms: this.slowMs,
      errors: storedArms(this.errors),
      slow: storedArms(this.slow),
      failed_outcomes_before: this.failedOutcomesBefore.toJSON(),
    };
    return JSON.stringify(stored);
  }

  /** Adds a call after the switch. Returns its session's updated sums. */
  add(call: WatchedCall, session: WatchedSession = NEW_SESSION): WatchedSession {
    return this.#count("treatment", call, call.sessionId === null ? NEW_SESSION : session);
  }

  get callsAfter(): number {
    return this.errors.treatment.samples;
  }

  /** null: nothing is significantly worse by more than its guard. May be asked as often as one likes. */
  worsening(failedOutcomesAfter: ArmSums): Worsening | null {
    const { slowMs } = this;
    const outcomes = { control: this.failedOutcomesBefore, treatment: failedOutcomesAfter };
    const checks = [
      ["error_rate", this.errors, TAU.error_rate, (before: number) => before + MORE_ERRORS],
      ["latency", this.slow, TAU.latency_p95, () => 1 - PERCENTILE],
      ["outcomes", outcomes, TAU.quality_score, (before: number) => before + MORE_FAILED_OUTCOMES],
    ] as const;
    for (const [reason, arms, tau, guard] of checks) {
      const { control, treatment } = arms;
      if (control.mean === null || treatment.mean === null) continue;
      if (!exceeds(treatment.mean, guard(control.mean))) continue;
      if (!isSignificant(arms, tau)) continue;
      return {
        reason,
        before: control.mean,
        after: treatment.mean,
        samplesBefore: control.samples,
        samplesAfter: treatment.samples,
        slowMs: reason === "latency" ? slowMs : null,
      };
    }
    return null;
  }

  #count(arm: keyof Arms<ArmSums>, call: WatchedCall, session: WatchedSession): WatchedSession {
    const { calls: samples } = session;
    const error = call.isError ? 1 : 0;
    const slow = this.slowMs !== null && call.latencyMs > this.slowMs ? 1 : 0;
    this.errors[arm].add(error, { samples, sum: session.errors });
    this.slow[arm].add(slow, { samples, sum: session.slow_calls });
    return { calls: samples + 1, errors: session.errors + error, slow_calls: session.slow_calls + slow };
  }
}

/** Whether the treatment's share is larger, with the always-valid interval of the test at this very moment. */
function isSignificant(arms: Arms<ArmSums>, tau: number): boolean {
  if (!mayDecide(arms)) return false;
  const smoothed = { control: withBoth(arms.control), treatment: withBoth(arms.treatment) };
  const difference = new SequentialTest(tau ** 2).difference(smoothed, ALPHA_EACH);
  return difference !== null && difference.low > 0;
}

const storedWatch = z.strictObject({
  slow_ms: z.number().nullable(),
  errors: armsText,
  slow: armsText,
  failed_outcomes_before: sumsText,
});
