import { useNavigate, useSearch } from "@tanstack/react-router";
import { HOUR_MS } from "@tollgate/core/time/durations";
import type { Output } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { plural } from "../../format/counts.ts";
import { clockTime, dayOf, minuteTime, utcDayOf, zoneName } from "../../format/time.ts";
import { Card } from "../../parts/card.tsx";
import { moneyUnit } from "../../parts/chart-unit.ts";
import { Segmented } from "../../parts/segmented.tsx";
import { type Bucket, StackedBars } from "../../parts/stacked-bars.tsx";
import { Empty, Loaded, Skeleton } from "../../parts/states.tsx";
import type { Series } from "../../parts/time-chart.tsx";
import { filterOf, type Group, groupOf, groupOptions, nameOf } from "./groups.ts";
import { useBreakdown } from "./use-breakdown.ts";

type Breakdown = Output<"analytics.breakdown">;

const OTHER = "other";

/** Spend over time, split by what the reader chooses; a click on a part shows only that. */
export function SpendChart() {
  const search = useSearch({ from: "/" });
  const group = groupOf(search);
  const navigate = useNavigate();
  const { change } = useView();
  const query = useBreakdown(group);
  const filter = filterOf(group);
  return (
    <Card
      title="Spend"
      className="wide"
      note={query.data && (query.data.interval === "day" ? "by UTC day" : `by hour, ${zoneName()}`)}
      actions={
        <Segmented
          label="Split by"
          value={group}
          options={groupOptions}
          onChange={by => void navigate({ to: "/", search: before => ({ ...before, by }) })}
        />
      }
    >
      <Loaded query={query} skeleton={<Skeleton height={240} />}>
        {data => (
          <Chart
            data={data}
            group={group}
            onPick={filter === null ? undefined : key => change({ [filter]: key })}
          />
        )}
      </Loaded>
    </Card>
  );
}

interface ChartProps {
  readonly data: Breakdown;
  readonly group: Group;
  readonly onPick: ((key: string) => void) | undefined;
}

function Chart({ data, group, onPick }: ChartProps) {
  if (data.total.cost_microcents === 0) {
    return (
      <Empty
        title={data.group_count === 0 ? "No calls in this time range" : "No known cost in this time range"}
      />
    );
  }
  const shown = data.groups.map((row, index) => ({
    row,
    series: { key: `${index}`, label: nameOf(group, row) },
  }));
  const others = data.other === null ? [] : [{ row: data.other, series: otherSeries(data) }];
  const pick = (one: Series) => {
    const key = shown.find(({ series }) => series.key === one.key)?.row.key;
    if (key != null) onPick?.(key);
  };
  return (
    <StackedBars
      label={`Spend by ${group.replaceAll("_", " ")}`}
      series={[...shown, ...others].map(({ series }) => series)}
      buckets={data.total.series.map((point, index) => ({
        ...bucketOf(data, point.at),
        values: Object.fromEntries(
          [...shown, ...others].map(({ row, series }) => [
            series.key,
            row.series[index]?.cost_microcents ?? 0,
          ]),
        ),
        unpriced: Object.fromEntries(
          [...shown, ...others].map(({ row, series }) => [
            series.key,
            row.series[index]?.unpriced_calls ?? 0,
          ]),
        ),
        unpricedCalls: point.unpriced_calls ?? 0,
      }))}
      unit={moneyUnit}
      {...(onPick === undefined ? {} : { onPick: pick })}
    />
  );
}

function otherSeries({ group_count, groups }: Breakdown): Series {
  return { key: OTHER, label: plural(group_count - groups.length, "other") };
}

/** The first and the last may be cut by the range: the title says from when to when. */
function bucketOf({ interval, period }: Breakdown, at: string): Omit<Bucket, "values"> {
  if (interval === "day") return { key: at, label: utcDayOf(at), title: `${utcDayOf(at)} (UTC)` };
  const fromMs = Math.max(Date.parse(at), Date.parse(period.from));
  const toMs = Math.min(Date.parse(at) + HOUR_MS, Date.parse(period.to));
  const isMidnight = new Date(at).getHours() === 0;
  return {
    key: at,
    label: isMidnight ? dayOf(at) : clockTime(at),
    title: `${minuteTime(fromMs)} to ${clockTime(toMs)}`,
  };
}
