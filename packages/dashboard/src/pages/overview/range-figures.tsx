import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { changeSince, count, percent } from "../../format/counts.ts";
import { duration } from "../../format/time.ts";
import { Card } from "../../parts/card.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Change, Stat } from "../../parts/stat.tsx";
import { Problem } from "../../parts/states.tsx";

/** The figures of the chosen range, compared with the period before. */
export function RangeFigures() {
  const { range } = useView();
  const now = useOperation("analytics.get", { from: range.from, to: range.to });
  const before = useOperation("analytics.get", range.previous ?? {}, { enabled: range.previous !== null });
  const summary = now.data?.summary;
  const previous = range.previous === null ? undefined : before.data?.summary;
  const compared = (change: number | null, more?: "better" | "worse" | "neutral") =>
    range.previous === null || summary === undefined || previous === undefined ? undefined : (
      <Change change={change} {...(more === undefined ? {} : { more })} />
    );
  const fault = now.error ?? now.failureReason;
  const hasCalls = summary !== undefined && summary.total_calls > 0;
  return (
    <Card title={range.title} className="wide">
      {summary === undefined && fault !== null && (
        <Problem message={fault.message} isRetrying={now.isFetching} />
      )}
      <dl className="stats">
        <Stat
          label="Spend"
          name="spend"
          isLarge
          value={
            summary && (
              <CostSum microcents={summary.total_cost_microcents} unpricedCalls={summary.unpriced_calls} />
            )
          }
          note={compared(changeSince(previous?.total_cost_microcents, summary?.total_cost_microcents))}
        />
        <Stat
          label="Calls"
          name="calls"
          value={summary && count(summary.total_calls)}
          note={compared(changeSince(previous?.total_calls, summary?.total_calls))}
        />
        <Stat
          label="Failed calls"
          name="errors"
          value={summary && percent(hasCalls ? summary.error_rate : null)}
          note={compared(
            previous !== undefined && previous.total_calls > 0 && hasCalls
              ? changeSince(previous.error_rate, summary.error_rate)
              : null,
            "worse",
          )}
        />
        <Stat
          label="Unpriced calls"
          name="unpriced"
          value={summary && count(summary.unpriced_calls)}
          note={summary && summary.unpriced_calls > 0 ? "of unknown cost, in no sum" : undefined}
        />
        <Stat
          label="Average duration"
          name="latency"
          value={summary && duration(hasCalls ? summary.avg_latency_ms : null)}
          note={compared(
            previous !== undefined && previous.total_calls > 0 && hasCalls
              ? changeSince(previous.avg_latency_ms, summary.avg_latency_ms)
              : null,
            "worse",
          )}
        />
      </dl>
    </Card>
  );
}
