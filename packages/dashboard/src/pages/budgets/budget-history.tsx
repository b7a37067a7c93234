import { plural } from "../../format/counts.ts";
import { utcDayOf, utcMonthOf, utcShortMonthOf } from "../../format/time.ts";
import { moneyUnit } from "../../parts/chart-unit.ts";
import { StackedBars } from "../../parts/stacked-bars.tsx";
import { Loaded, Skeleton } from "../../parts/states.tsx";
import { type Budget, subjectOf } from "./budget-subject.tsx";
import { checkLimit, periodsOf } from "./limit-check.ts";
import { useSpendDays } from "./use-spend-days.ts";

/** Cost of the same calls in past periods, beside today's limit. */
export function BudgetHistory({ budget }: { readonly budget: Budget }) {
  const { days, query } = useSpendDays(subjectOf(budget), budget.period);
  const isDaily = budget.period === "daily";
  return (
    <section aria-labelledby="history-title" className="panel-part">
      <h3 id="history-title">{isDaily ? "Spend by day (UTC)" : "Spend by month (UTC)"}</h3>
      <p className="muted">All spend, including before the budget existed. The line is today’s limit.</p>
      <Loaded query={query} skeleton={<Skeleton height={240} />}>
        {() => {
          const periods = periodsOf(days ?? [], budget.period);
          const { over, unpricedCalls } = checkLimit(periods, budget.limit_microcents);
          return (
            <>
              <StackedBars
                label={isDaily ? "Spend by day" : "Spend by month"}
                series={[{ key: "cost", label: "Spend" }]}
                buckets={periods.map(({ date, costMicrocents, unpricedCalls }) => ({
                  key: date,
                  label: isDaily ? utcDayOf(date) : utcShortMonthOf(date),
                  title: `${isDaily ? utcDayOf(date) : utcMonthOf(date)} (UTC)`,
                  values: { cost: costMicrocents },
                  unpriced: { cost: unpricedCalls },
                  unpricedCalls,
                }))}
                unit={moneyUnit}
                line={{ value: budget.limit_microcents, label: "limit" }}
              />
              <p className="muted">
                {over.length === 0
                  ? "Never above it."
                  : `Above it ${isDaily ? `on ${plural(over.length, "day")}` : `in ${plural(over.length, "month")}`}.`}
                {unpricedCalls > 0 && ` ${plural(unpricedCalls, "call")} of unknown cost not counted.`}
              </p>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
