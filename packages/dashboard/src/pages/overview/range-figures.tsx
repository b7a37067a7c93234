import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { changeSince, count, percent, plural, shareOf } from "../../format/counts.ts";
import { duration } from "../../format/time.ts";
import { Card } from "../../parts/card.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Change, figureOf, Stat } from "../../parts/stat.tsx";
import { Problem } from "../../parts/states.tsx";
import { useBreakdown } from "./use-breakdown.ts";

/** The figures of the chosen range and filters, compared with the period before. */
export function RangeFigures() {
  const { range } = useView();
  const breakdown = useBreakdown("model");
  const total = breakdown.data?.total;
  const previous = total?.previous ?? null;
  const failed = shareOf(total?.error_count, total?.call_count);
  const failedBefore = shareOf(previous?.error_count, previous?.call_count);
  const fault = breakdown.error ?? breakdown.failureReason;
  const compared = (change: number | null, more: "better" | "worse" | "neutral" = "neutral") =>
    range.previous === null || total === undefined ? undefined : <Change change={change} more={more} />;
  return (
    <Card title={range.title} className="wide">
      {total === undefined && fault !== null && (
        <Problem
          message={fault.message}
          isRetrying={breakdown.isFetching}
          onRetry={() => void breakdown.refetch()}
        />
      )}
      <dl className="stats">
        <Stat
          label="Spend"
          name="spend"
          isLarge
          value={figureOf(breakdown, ({ total: { cost_microcents, unpriced_calls } }) => (
            <CostSum microcents={cost_microcents} unpricedCalls={unpriced_calls} />
          ))}
          note={compared(changeSince(previous?.cost_microcents, total?.cost_microcents))}
        />
        <Stat
          label="Calls"
          name="calls"
          value={figureOf(breakdown, ({ total }) => count(total.call_count))}
          note={compared(changeSince(previous?.call_count, total?.call_count))}
        />
        <Stat
          label="Failed calls"
          name="errors"
          value={figureOf(breakdown, () => percent(failed))}
          note={compared(changeSince(failedBefore, failed), "worse")}
        />
        <Stat
          label="Unpriced calls"
          name="unpriced"
          value={figureOf(breakdown, ({ total }) => count(total.unpriced_calls))}
          note={total?.unpriced_calls ? "of unknown cost, not in any sum" : undefined}
        />
        <LatencyStats />
      </dl>
    </Card>
  );
}

/** Durations and refused calls are known of the organization and of agents; with other filters they are not shown. */
function LatencyStats() {
  const { range, filters } = useView();
  const { agent, ...others } = filters;
  const isKnown = Object.keys(others).length === 0;
  const input = { from: range.from, to: range.to, ...(agent === undefined ? {} : { agent_id: agent }) };
  const latencies = useOperation("analytics.get", input, { enabled: isKnown });
  const { data } = latencies;
  if (!isKnown) return null;
  return (
    <>
      <Stat
        label="Duration, 95th percentile"
        name="latency"
        value={figureOf(latencies, ({ percentiles }) => duration(percentiles.p95_ms))}
        note={data && `median ${duration(data.percentiles.p50_ms)}`}
      />
      <Stat
        label="Refused calls"
        name="refused"
        value={figureOf(latencies, ({ refused }) => count(refused.call_count))}
        note={
          data &&
          (data.refused.by_reason[0] === undefined
            ? "in whole UTC hours"
            : `${plural(data.refused.by_reason[0].call_count, "call")}: ${data.refused.by_reason[0].reason.replaceAll("_", " ")}`)
        }
      />
    </>
  );
}
