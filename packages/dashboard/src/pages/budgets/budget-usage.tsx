import { percent, shareOf } from "../../format/counts.ts";
import { dollars } from "../../format/money.ts";
import { Meter } from "../../parts/meter.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import type { Budget } from "./budget-subject.tsx";
import { CountedSince } from "./counted-since.tsx";
import type { Pace } from "./pace.ts";

export function usedShare({ current_spending_microcents, limit_microcents }: Budget): number {
  return shareOf(current_spending_microcents, limit_microcents) ?? 0;
}

interface BudgetUsageProps {
  readonly budget: Budget;
  readonly pace: Pace;
}

/** The used share of the limit, the warning threshold, and the projected share at the end of the period. */
export function BudgetUsage({ budget, pace }: BudgetUsageProps) {
  const share = usedShare(budget);
  const kind =
    budget.status === "paused"
      ? "muted"
      : share >= 1
        ? "bad"
        : share * 100 >= budget.warning_pct
          ? "warning"
          : "plain";
  const expected = "atEndMicrocents" in pace ? shareOf(pace.atEndMicrocents, budget.limit_microcents) : null;
  return (
    <div className="budget-usage">
      <p>
        <CostSum microcents={budget.current_spending_microcents} unpricedCalls={budget.unpriced_calls} />{" "}
        <span className="muted">
          of <Money microcents={budget.limit_microcents} isFull />
        </span>{" "}
        <CountedSince budget={budget} /> <span className="figure budget-share">{percent(share)}</span>
      </p>
      <Meter
        label="Used"
        text={`${dollars(budget.current_spending_microcents)} of ${dollars(budget.limit_microcents)}`}
        share={share}
        expectedShare={expected}
        kind={kind}
        marks={[{ at: budget.warning_pct / 100, title: `Warning at ${budget.warning_pct}%` }]}
      />
    </div>
  );
}
