import { plural } from "../../format/counts.ts";
import { utcDayOf, utcMonthOf } from "../../format/time.ts";
import { Money } from "../../parts/money.tsx";
import { Skeleton } from "../../parts/states.tsx";
import type { BudgetSubject } from "./budget-subject.tsx";
import { checkLimit, periodsOf } from "./limit-check.ts";
import { PAST_DAYS, PAST_MONTHS, useSpendDays } from "./use-spend-days.ts";

interface LimitCheckProps {
  readonly subject: BudgetSubject;
  readonly period: "daily" | "monthly";
  readonly limitMicrocents: number;
}

/** Effect that this limit would have had on past days or months. */
export function LimitCheck({ subject, period, limitMicrocents }: LimitCheckProps) {
  const { days, query } = useSpendDays(subject, period);
  if (days === undefined) {
    return query.isError ? null : (
      <div className="limit-check" aria-busy="true">
        <Skeleton height={14} />
      </div>
    );
  }
  const { over, beyondMicrocents, totalMicrocents, most, unpricedCalls } = checkLimit(
    periodsOf(days, period),
    limitMicrocents,
  );
  const nameOf = period === "daily" ? utcDayOf : utcMonthOf;
  const window = period === "daily" ? `the last ${PAST_DAYS} days` : `the last ${PAST_MONTHS} months`;
  return (
    <p className="limit-check" data-limit-check={over.length}>
      {over.length === 0 ? (
        <>
          In {window} (UTC) it would not have been reached
          {most !== null && most.costMicrocents > 0 && (
            <>
              : the highest was <Money microcents={most.costMicrocents} /> ({nameOf(most.date)})
            </>
          )}
          .
        </>
      ) : (
        <>
          In {window} (UTC) it would have been reached{" "}
          {period === "daily" ? `on ${plural(over.length, "day")}` : `in ${plural(over.length, "month")}`}:{" "}
          <Money microcents={beyondMicrocents} /> of <Money microcents={totalMicrocents} /> was spent beyond
          it.
        </>
      )}
      {unpricedCalls > 0 && ` ${plural(unpricedCalls, "call")} of unknown cost not counted.`}
    </p>
  );
}
