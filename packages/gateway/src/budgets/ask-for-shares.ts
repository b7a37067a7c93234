import { isBlocking } from "@tollgate/core/budgets/budget";
import { type Expectation, Z_95 } from "@tollgate/core/budgets/expectation";
import { saturated } from "@tollgate/core/money/money";
import { type ApplicableBudget, leastHeadroom } from "./decide-admission.ts";
import type { Shares } from "./shares.ts";
import type { StrictPlan } from "./strict-plan.ts";

/** An estimate can be too low, and only the node with the last part may exceed its share, by less than one call. */
const MARGIN = 1.25;

/**
 * Determines what this node may use of each blocking budget. If one of them refuses the call, no share of the others is
 * requested, because other nodes may need it. Creates no closures or copies, because it runs for every call.
 */
export function askForShares(
  shares: Shares,
  applicable: readonly ApplicableBudget[],
  { meanMicrocents, spreadMicrocents }: Expectation,
  plan: StrictPlan | null,
  isPriced: boolean,
): void {
  const isUnbounded = plan !== null && plan.unbounded !== null;
  let isRefused = false;
  for (const { budget, account } of applicable) {
    if (!isBlocking(budget)) continue;
    if ((!isPriced && !budget.allowsUnpriced) || (budget.isStrict && isUnbounded)) return;
    isRefused ||= shares.isSpent(budget, account);
  }
  const usual = saturated(meanMicrocents + Math.ceil(Z_95 * spreadMicrocents));
  for (const one of applicable) {
    const { budget, account } = one;
    if (!isBlocking(budget) || (isRefused && !shares.isSpent(budget, account))) continue;
    const strict = budget.isStrict ? plan : null;
    const leastMicrocents = leastHeadroom(strict);
    const mostMicrocents = strict === null ? Math.ceil(usual * MARGIN) : strict.wantedMicrocents;
    const fittingMicrocents = saturated(Math.max(leastMicrocents, mostMicrocents));
    one.share = shares.of(budget, account, { fittingMicrocents, leastMicrocents });
  }
}
