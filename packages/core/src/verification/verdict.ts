import type { TaskCategory } from "../event.ts";
import { DAY_MS } from "../time/durations.ts";
import type { Guards } from "./guards.ts";
import type { Savings } from "./savings.ts";
import type { Decision } from "./score-sequence.ts";
import type { EvidenceMode, VerdictName } from "./vocabulary.ts";

/** A mean score with the bounds of its confidence sequence: each bound always holds with probability 1 − α. */
export interface MeanScore {
  readonly pairs: number;
  /** Independent values: sessions, and pairs without a session. */
  readonly values: number;
  readonly mean: number | null;
  readonly lower: number;
  readonly upper: number;
}

export interface Verdict {
  /** `inconclusive`: the trial ended without a verdict. */
  readonly verdict: VerdictName | "inconclusive";
  readonly evidence_mode: EvidenceMode;
  readonly judge_model: string | null;
  readonly margin: number;
  readonly alpha: number;
  readonly score: MeanScore;
  /** For readers who know Tango's bound, which is valid for a single look only, so it decides nothing. */
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  readonly tango_lower: number | null;
  /** The production model compared with itself: the judge's bias. */
  readonly controls: MeanScore;
  readonly guards: Guards;
  readonly savings: Savings;
  readonly categories: readonly CategoryVerdict[];
  readonly concluded_at_ms: number;
  readonly expires_at_ms: number;
}

export interface CategoryVerdict extends MeanScore {
  readonly category: TaskCategory;
  readonly verdict: Decision | "inconclusive";
}

/** Models, prompts and traffic change: evidence from a month ago has to be renewed. */
const LASTS_MS = 30 * DAY_MS;
/** How long before its end evidence counts as expiring. */
const EXPIRING_MS = 7 * DAY_MS;

export function expiryOf(concludedAtMs: number): number {
  return concludedAtMs + LASTS_MS;
}

export function freshness(
  verdict: Pick<Verdict, "expires_at_ms">,
  nowMs: number,
): "current" | "expiring" | "expired" {
  const leftMs = verdict.expires_at_ms - nowMs;
  if (leftMs <= 0) return "expired";
  return leftMs <= EXPIRING_MS ? "expiring" : "current";
}
