import type { Budget } from "@tollgate/core/budgets/budget";
import { microcents } from "@tollgate/core/money/money";

/** An active daily budget of 1,000 microcents for the whole organization of `sampleSettlement`. */
export function sampleBudget(change: Partial<Budget> = {}): Budget {
  return {
    id: "b",
    orgId: "org",
    mode: "live",
    agentKey: null,
    keyId: null,
    customerId: null,
    verificationId: null,
    period: "daily",
    limitMicrocents: microcents(1000),
    enforcement: "hard_block",
    isStrict: false,
    allowsUnpriced: false,
    isPaused: false,
    sinceMs: 0,
    blockingSinceMs: null,
    ...change,
  };
}
