import { useView } from "../../data/view.tsx";
import { percent, shareOf } from "../../format/counts.ts";
import { Moment } from "../../parts/moment.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Tag } from "../../parts/tag.tsx";
import type { Budget } from "./budget-subject.tsx";
import { type Pace, paceOf } from "./pace.ts";
import type { Prediction } from "./use-budgets.ts";

export function usePace(budget: Budget): Pace {
  const { range } = useView();
  // The "now" of the page, unless a past range was chosen.
  const nowMs = range.preset === null ? Date.now() : Date.parse(range.to);
  return paceOf(
    {
      period: budget.period,
      spentMicrocents: budget.current_spending_microcents,
      limitMicrocents: budget.limit_microcents,
      countedFromMs: Date.parse(budget.counted_from),
      endsAtMs: Date.parse(budget.resets_at),
    },
    nowMs,
  );
}

interface BudgetForecastProps {
  readonly budget: Budget;
  readonly pace: Pace;
  /** Tested against chance, where there is enough data; it counts before the mere pace. */
  readonly prediction: Prediction | undefined;
}

/** When the budget will be reached. */
export function BudgetForecast({ budget, pace, prediction }: BudgetForecastProps) {
  if (pace.kind === "reached") return <Tag kind="bad">reached</Tag>;
  if (prediction?.predicted_breach_at != null) {
    return (
      <span title={prediction.message}>
        Expected to be reached <Moment at={prediction.predicted_breach_at} />{" "}
        <span className="muted">({percent(prediction.confidence)} confidence)</span>
      </span>
    );
  }
  switch (pace.kind) {
    case "too_early":
      return <span className="muted">Too early to say</span>;
    case "stays_below":
      return (
        <span>
          At this pace, <CostSum microcents={pace.atEndMicrocents} unpricedCalls={budget.unpriced_calls} /> at
          the reset{" "}
          <span className="muted">({percent(shareOf(pace.atEndMicrocents, budget.limit_microcents))})</span>
        </span>
      );
    case "reaches":
      return (
        <span className="budget-reaches">
          At this pace, reached <Moment at={new Date(pace.atMs).toISOString()} />
        </span>
      );
    default:
      return pace satisfies never;
  }
}
