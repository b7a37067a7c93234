import { useNavigate } from "@tanstack/react-router";
import { DAY_MS } from "@tollgate/core/time/durations";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { plural } from "../../format/counts.ts";
import { dayOf, minuteTime, utcDayOf, zoneName } from "../../format/time.ts";
import { Card } from "../../parts/card.tsx";
import { moneyUnit } from "../../parts/chart-unit.ts";
import { StackedBars } from "../../parts/stacked-bars.tsx";
import { Empty, Loaded, Skeleton } from "../../parts/states.tsx";
import { callsSearch } from "../calls/calls-search.ts";

type Breakdown = Output<"analytics.breakdown">;

const HOURLY_MS = 2 * DAY_MS;
const MAX_SERIES = 7;

interface CustomerBreakdownProps {
  readonly customerId: string;
  readonly groupBy: "model" | "agent";
  readonly title: string;
}

/** A customer's spend over time, by model or agent. A click leads to the calls. */
export function CustomerBreakdown({ customerId, groupBy, title }: CustomerBreakdownProps) {
  const { range } = useView();
  const navigate = useNavigate();
  const query = useOperation("analytics.breakdown", {
    group_by: groupBy,
    customer_id: customerId,
    from: range.from,
    to: range.to,
    interval: range.lengthMs <= HOURLY_MS ? "hour" : "day",
    limit: MAX_SERIES,
  });
  return (
    <Card title={title} note={range.lengthMs <= HOURLY_MS ? `by hour, ${zoneName()}` : "by UTC day"}>
      <Loaded query={query} skeleton={<Skeleton height={240} />}>
        {data =>
          data.total.call_count === 0 ? (
            <Empty title="No calls in this time range" />
          ) : (
            <StackedBars
              label={title}
              {...toChart(data)}
              unit={moneyUnit}
              onPick={({ key }) => {
                const group = data.groups[Number(key)]?.key;
                if (group == null) return;
                const filter = groupBy === "model" ? { model: group } : { agent: group };
                void navigate({
                  to: "/calls",
                  search: callsSearch({ customer: customerId, ...filter }),
                });
              }}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function toChart({ groups, group_count, other, total, interval }: Breakdown) {
  const label = interval === "day" ? utcDayOf : (at: string) => minuteTime(at);
  return {
    series: [
      ...groups.map(({ key, name }, index) => ({ key: String(index), label: name ?? key ?? "none" })),
      ...(other === null ? [] : [{ key: "other", label: plural(group_count - groups.length, "other") }]),
    ],
    buckets: total.series.map(({ at, unpriced_calls }, position) => ({
      key: at,
      label: interval === "day" ? utcDayOf(at) : (label(at).split(", ")[1] ?? dayOf(at)),
      title: interval === "day" ? `${utcDayOf(at)} (UTC)` : label(at),
      values: Object.fromEntries([
        ...groups.map(({ series }, index) => [String(index), series[position]?.cost_microcents ?? 0]),
        ...(other === null ? [] : [["other", other.series[position]?.cost_microcents ?? 0]]),
      ]),
      unpriced: Object.fromEntries([
        ...groups.map(({ series }, index) => [String(index), series[position]?.unpriced_calls ?? 0]),
        ...(other === null ? [] : [["other", other.series[position]?.unpriced_calls ?? 0]]),
      ]),
      unpricedCalls: unpriced_calls ?? 0,
    })),
  };
}
