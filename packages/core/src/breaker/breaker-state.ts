import type { BreakerState, RollbackReason } from "../decisions/vocabulary.ts";
import { WATCH_MS, type Worsening } from "./switch-watch.ts";

interface AppliedSwitch {
  readonly appliedAtMs: number;
  /** By anybody, or because another switch replaced it; null: in force. */
  readonly undoneAtMs: number | null;
  readonly rollbackReason: RollbackReason | null;
  readonly isBreakerOff: boolean;
}

interface Watching {
  readonly state: BreakerState;
  /** null: it is not watched now. */
  readonly untilMs: number | null;
}

const breakerReasons: Readonly<Record<Worsening["reason"], true>> = {
  error_rate: true,
  latency: true,
  outcomes: true,
};

/** What the breaker does about a model switch. */
export function breakerStateOf(applied: AppliedSwitch, nowMs: number): Watching {
  const { appliedAtMs, undoneAtMs, rollbackReason, isBreakerOff } = applied;
  const untilMs = appliedAtMs + WATCH_MS;
  if (rollbackReason !== null && rollbackReason in breakerReasons) return { state: "tripped", untilMs: null };
  if (undoneAtMs !== null || nowMs >= untilMs) return { state: "over", untilMs: null };
  return isBreakerOff ? { state: "off", untilMs: null } : { state: "watching", untilMs };
}
