import type { ReactNode } from "react";
import { useView } from "../../data/view.tsx";
import { Card } from "../../parts/card.tsx";
import { countUnit, durationUnit, moneyUnit } from "../../parts/chart-unit.ts";
import { LineChart } from "../../parts/line-chart.tsx";
import { StackedBars } from "../../parts/stacked-bars.tsx";
import { Problem, Skeleton } from "../../parts/states.tsx";
import { stepTitle } from "./buckets.ts";
import { type HistoryPart, useAgentHistory } from "./use-agent-history.ts";

const MAX_MODELS = 7;

/** Spend, calls and the percentiles of the duration, over time. */
export function AgentCharts({ agentId }: { readonly agentId: string }) {
  const step = stepTitle(useView().range);
  const { parts, isLoading, fault } = useAgentHistory(agentId);
  const isEmpty = parts.every(({ analysis }) => analysis === undefined);
  const whenKnown = (chart: () => ReactNode) => {
    if (!isEmpty) return chart();
    if (fault !== null) return <Problem message={fault.message} isRetrying={isLoading} />;
    return <Skeleton height={240} />;
  };
  return (
    <>
      <Card title="Spend by model" className="wide" note={`Each bar: ${step}`}>
        {whenKnown(() => (
          <StackedBars label="Spend by model" {...spendByModel(parts)} unit={moneyUnit} />
        ))}
      </Card>
      <Card title="Calls" note={`Each bar: ${step}. Refused calls are not included`}>
        {whenKnown(() => (
          <StackedBars label="Calls, succeeded and failed" {...callsByResult(parts)} unit={countUnit} />
        ))}
      </Card>
      <Card title="Duration of calls" note={`Percentiles, in steps of ${step}`}>
        {whenKnown(() => (
          <LineChart
            label="Duration of calls, percentiles"
            series={[
              { key: "p50_ms", label: "Median" },
              { key: "p95_ms", label: "95th" },
              { key: "p99_ms", label: "99th" },
            ]}
            points={parts.map(({ key, label, title, analysis }) => ({
              key,
              label,
              title,
              values: analysis === undefined ? {} : analysis.percentiles,
            }))}
            unit={durationUnit}
          />
        ))}
      </Card>
    </>
  );
}

function spendByModel(parts: readonly HistoryPart[]) {
  const sums = new Map<string, number>();
  for (const { analysis } of parts) {
    for (const { model, cost_microcents } of analysis?.by_model ?? []) {
      sums.set(model, (sums.get(model) ?? 0) + cost_microcents);
    }
  }
  const models = [...sums].toSorted((a, b) => b[1] - a[1]).map(([model]) => model);
  const shown = models.length <= MAX_MODELS + 1 ? models : models.slice(0, MAX_MODELS);
  // The key of a series is a position: a caller may name a model anything, "other" included.
  const keys = new Map(shown.map((model, index) => [model, String(index)]));
  return {
    series: [
      ...shown.map((model, index) => ({ key: String(index), label: model })),
      ...(shown.length < models.length ? [{ key: "other", label: "Other models" }] : []),
    ],
    buckets: parts.map(({ key, label, title, analysis }) => {
      const values: Record<string, number> = {};
      const unpriced: Record<string, number> = {};
      let unpricedCalls = 0;
      for (const { model, cost_microcents, unpriced_calls } of analysis?.by_model ?? []) {
        const series = keys.get(model) ?? "other";
        values[series] = (values[series] ?? 0) + cost_microcents;
        unpriced[series] = (unpriced[series] ?? 0) + unpriced_calls;
        unpricedCalls += unpriced_calls;
      }
      return { key, label, title, values, unpriced, unpricedCalls };
    }),
  };
}

function callsByResult(parts: readonly HistoryPart[]) {
  return {
    series: [
      { key: "succeeded", label: "Succeeded" },
      { key: "failed", label: "Failed", color: "var(--bad)" },
    ],
    buckets: parts.map(({ key, label, title, analysis }) => {
      if (analysis === undefined) return { key, label, title, values: {} };
      const { call_count, error_count: failed } = analysis;
      return { key, label, title, values: { succeeded: call_count - failed, failed } };
    }),
  };
}
