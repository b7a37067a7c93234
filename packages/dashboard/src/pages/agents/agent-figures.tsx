import { Link } from "@tanstack/react-router";
import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { changeSince, count, percent, plural, shareOf } from "../../format/counts.ts";
import { duration } from "../../format/time.ts";
import { Card } from "../../parts/card.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { Change, figureOf, Stat } from "../../parts/stat.tsx";
import { Problem } from "../../parts/states.tsx";
import { callsSearch } from "../calls/calls-search.ts";

/** One agent in the chosen range, compared with the period before. */
export function AgentFigures({ agentId }: { readonly agentId: string }) {
  const { range } = useView();
  const now = useOperation("analytics.get", { agent_id: agentId, from: range.from, to: range.to });
  const before = useOperation(
    "analytics.get",
    { agent_id: agentId, ...(range.previous ?? {}) },
    { enabled: range.previous !== null },
  );
  const fault = now.error ?? now.failureReason;
  const summary = now.data?.summary;
  const previous = range.previous === null ? undefined : before.data?.summary;
  const hasCalls = summary !== undefined && summary.total_calls > 0;
  const hadCalls = previous !== undefined && previous.total_calls > 0;
  const compared = (change: number | null, more?: "worse") =>
    summary === undefined || previous === undefined ? undefined : (
      <Change change={change} {...(more === undefined ? {} : { more })} />
    );
  const both = <Field extends "error_rate" | "avg_latency_ms">(field: Field) =>
    hasCalls && hadCalls ? changeSince(previous[field], summary[field]) : null;
  const pricedCalls = summary === undefined ? 0 : summary.total_calls - summary.unpriced_calls;
  const perCall = summary === undefined ? null : shareOf(summary.total_cost_microcents, pricedCalls);
  const refused = now.data?.refused;
  return (
    <Card
      title={range.title}
      className="wide"
      actions={
        <Link to="/calls" search={callsSearch({ agent: agentId })}>
          Its calls
        </Link>
      }
    >
      {summary === undefined && fault !== null && (
        <Problem message={fault.message} isRetrying={now.isFetching} />
      )}
      <dl className="stats">
        <Stat
          label="Spend"
          name="spend"
          isLarge
          value={figureOf(now, ({ summary: { total_cost_microcents, unpriced_calls } }) => (
            <CostSum microcents={total_cost_microcents} unpricedCalls={unpriced_calls} />
          ))}
          note={compared(changeSince(previous?.total_cost_microcents, summary?.total_cost_microcents))}
        />
        <Stat
          label="Calls"
          name="calls"
          value={figureOf(now, ({ summary }) => count(summary.total_calls))}
          note={compared(changeSince(previous?.total_calls, summary?.total_calls))}
        />
        <Stat
          label="Cost per call"
          name="per-call"
          value={figureOf(now, () => <Money microcents={perCall === null ? null : Math.round(perCall)} />)}
          note={
            summary && summary.unpriced_calls > 0 ? `of ${plural(pricedCalls, "priced call")}` : undefined
          }
        />
        <Stat
          label="Failed calls"
          name="errors"
          value={figureOf(now, ({ summary }) => percent(hasCalls ? summary.error_rate : null))}
          note={compared(both("error_rate"), "worse")}
        />
        <Stat
          label="Refused calls"
          name="refused"
          value={figureOf(now, ({ refused }) => count(refused.call_count))}
          note={
            refused === undefined ? undefined : refused.call_count === 0 ? (
              "whole UTC hours"
            ) : (
              <>
                {refused.by_reason.map(({ reason }) => reason.replaceAll("_", " ")).join(", ")}, whole UTC
                hours
              </>
            )
          }
        />
        <Stat
          label="Duration, median"
          name="p50"
          value={figureOf(now, ({ percentiles }) => duration(percentiles.p50_ms))}
          note={now.data && `average ${duration(hasCalls ? summary.avg_latency_ms : null)}`}
        />
        <Stat
          label="Duration, 95th percentile"
          name="p95"
          value={figureOf(now, ({ percentiles }) => duration(percentiles.p95_ms))}
          note={now.data && `99th: ${duration(now.data.percentiles.p99_ms)}`}
        />
      </dl>
    </Card>
  );
}
