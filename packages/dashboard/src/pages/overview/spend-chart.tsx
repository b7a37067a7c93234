import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { dollars } from "../../format/money.ts";
import { utcDayOf } from "../../format/time.ts";
import { Card } from "../../parts/card.tsx";
import { StackedBars } from "../../parts/stacked-bars.tsx";
import { Loaded, Skeleton } from "../../parts/states.tsx";

export function SpendChart() {
  const { range } = useView();
  const query = useOperation("analytics.get", { from: range.from, to: range.to });
  return (
    <Card title="Spend by day" note="UTC days" className="wide">
      <Loaded query={query} skeleton={<Skeleton height={240} />}>
        {({ trend }) => (
          <StackedBars
            label="Spend by day"
            series={[{ key: "cost", label: "Spend" }]}
            buckets={trend.map(({ date, cost_microcents }) => ({
              key: date,
              label: utcDayOf(date),
              title: `${utcDayOf(date)} (UTC)`,
              values: { cost: cost_microcents },
            }))}
            format={dollars}
          />
        )}
      </Loaded>
    </Card>
  );
}
