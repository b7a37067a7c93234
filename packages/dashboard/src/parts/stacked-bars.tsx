import { type ChartUnit, withUnpriced } from "./chart-unit.ts";
import {
  HEIGHT,
  MARGIN,
  type Plot,
  type Series,
  seriesColor,
  seriesName,
  TimeChart,
  type TimePoint,
  TooltipRow,
} from "./time-chart.tsx";

export interface Bucket extends TimePoint {
  /** By series; one that is absent has nothing in this bucket. */
  readonly values: Readonly<Record<string, number>>;
  /** Calls of unknown cost, which its values leave out: by series, and of the whole bucket. */
  readonly unpriced?: Readonly<Record<string, number>>;
  readonly unpricedCalls?: number;
}

interface StackedBarsProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly buckets: readonly Bucket[];
  readonly unit: ChartUnit;
  /** A click on a series in the legend or in a bar. */
  readonly onPick?: (series: Series) => void;
  /** A line across, such as a budget. */
  readonly line?: { readonly value: number; readonly label: string };
}

/** Bars over time, stacked by series. */
export function StackedBars({ label, series, buckets, unit, onPick, line }: StackedBarsProps) {
  const sums = buckets.map(({ values }) => series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0));
  const sumOf = (index: number) => withUnpriced(unit, sums[index] ?? 0, buckets[index]?.unpricedCalls ?? 0);
  const amountOf = (index: number, { key }: Series) => buckets[index]?.values[key] ?? 0;
  const unpricedOf = (index: number, { key }: Series) => buckets[index]?.unpriced?.[key] ?? 0;
  const textOf = (index: number, one: Series) =>
    withUnpriced(unit, amountOf(index, one), unpricedOf(index, one));
  return (
    <TimeChart
      label={label}
      series={series}
      points={buckets}
      top={Math.max(...sums, line?.value ?? 0, 0)}
      unit={unit}
      onPick={onPick}
      draw={plot => (
        <>
          {plot.active !== null && (
            <rect
              className="chart-band"
              x={plot.x(plot.active) - plot.step / 2}
              y={MARGIN.top}
              width={plot.step}
              height={HEIGHT - MARGIN.top - MARGIN.bottom}
            />
          )}
          {buckets.map((bucket, index) => (
            <Bar key={bucket.key} plot={plot} index={index} bucket={bucket} series={series} onPick={onPick} />
          ))}
          {line && (
            <g transform={`translate(0 ${plot.y(line.value)})`}>
              <line className="chart-limit" x1={MARGIN.left} x2={plot.width - MARGIN.right} />
              <text className="chart-label" x={plot.width - MARGIN.right} dy="-4" textAnchor="end">
                {line.label}
              </text>
            </g>
          )}
        </>
      )}
      tooltip={index => (
        <>
          {series
            .map((one, position) => ({ one, color: seriesColor(position, one) }))
            .filter(({ one }) => amountOf(index, one) > 0 || unpricedOf(index, one) > 0)
            .reverse()
            .map(({ one, color }) => (
              <TooltipRow key={one.key} series={one} color={color}>
                {textOf(index, one)}
              </TooltipRow>
            ))}
          <p className="chart-tooltip-row chart-tooltip-sum">
            <span className="chart-tooltip-name">Sum</span>
            <span className="figure">{sumOf(index)}</span>
          </p>
        </>
      )}
      columns={[
        ...series.map(one => ({
          key: `series ${one.key}`,
          title: seriesName(one),
          cell: (index: number) => textOf(index, one),
        })),
        { key: "sum", title: "Sum", cell: sumOf },
      ]}
    />
  );
}

interface BarProps {
  readonly plot: Plot;
  readonly index: number;
  readonly bucket: Bucket;
  readonly series: readonly Series[];
  readonly onPick: ((series: Series) => void) | undefined;
}

function Bar({ plot: { x, y, step }, index, bucket, series, onPick }: BarProps) {
  const gap = step > 6 ? Math.min(4, step * 0.2) : 0;
  let base = 0;
  return (
    <g>
      {series.map((one, position) => {
        const value = bucket.values[one.key] ?? 0;
        if (value <= 0) return null;
        const [from, to] = [y(base), y(base + value)];
        base += value;
        return (
          <rect
            key={one.key}
            x={x(index) - (step - gap) / 2}
            y={to}
            width={Math.max(1, step - gap)}
            height={Math.max(0.5, from - to)}
            fill={seriesColor(position, one)}
            onClick={() => onPick?.(one)}
          />
        );
      })}
    </g>
  );
}
