import type { Catalogue } from "../pricing/catalogue.ts";
import type { ProfileSums } from "../profile/profile-sums.ts";
import type { Finding, LeakCheckName } from "./finding.ts";

/** How an agent used one model within the period. */
export interface ModelUse extends ProfileSums {
  readonly provider: string;
  readonly model: string;
  readonly max_input_tokens: number;
  /** First millisecond of its first UTC day within the period. */
  readonly first_day: number;
}

export interface ScannedAgent {
  readonly id: string;
  readonly name: string;
  readonly firstSeenAt: number;
  /** null: no calls yet. */
  readonly lastCallAt: number | null;
  /** Archived or paused. */
  readonly isInactive: boolean;
  /** In the last 24 hours. */
  readonly lastDay: { readonly calls: number; readonly errors: number; readonly costMicrocents: number };
  /**
   * Optimizations that the gateway already applies: what they fix is not reported again while the period still includes
   * older days.
   */
  readonly appliedOptimizations: { readonly switchedTo: string | null; readonly hasPromptCaching: boolean };
  /** Most expensive first. */
  readonly uses: readonly ModelUse[];
}

export interface ScannedBudget {
  /** null: the whole organization. */
  readonly agentId: string | null;
  readonly isPaused: boolean;
}

/** All inputs of the checks. */
export interface LeakScan {
  readonly now: number;
  /** The first millisecond of a UTC day; nothing before it is included. */
  readonly from: number;
  readonly agents: readonly ScannedAgent[];
  /** The scan covers one agent: no findings about the organization. */
  readonly isSingleAgent: boolean;
  readonly budgets: readonly ScannedBudget[];
  readonly catalogue: Catalogue;
}

/** One check per file; `scan-leaks.ts` lists them. */
export interface LeakCheck {
  readonly name: LeakCheckName;
  run(scan: LeakScan): Finding[];
}

/** Fewer calls do not show a pattern. */
export const ENOUGH_CALLS = 10;

/** Only models that its calls still go to: after a switch, the others are history. */
export function presentUses({
  uses,
  appliedOptimizations: { switchedTo },
}: ScannedAgent): readonly ModelUse[] {
  return switchedTo === null ? uses : uses.filter(use => use.model === switchedTo);
}

export function sumOfUses(agent: ScannedAgent, of: (use: ModelUse) => number): number {
  return agent.uses.reduce((sum, use) => sum + of(use), 0);
}
