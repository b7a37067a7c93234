import { UNKNOWN } from "../format/unknown.ts";
import type { ChartUnit } from "./chart-unit.ts";
import {
  MARGIN,
  type Series,
  seriesColor,
  seriesName,
  TimeChart,
  type TimePoint,
  TooltipRow,
} from "./time-chart.tsx";

export interface LinePoint extends TimePoint {
  /** By series; null or absent: not known, which leaves a gap. */
  readonly values: Readonly<Record<string, number | null>>;
}

interface LineChartProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly points: readonly LinePoint[];
  readonly unit: ChartUnit;
}

/** Lines over time, with gaps where nothing is known. */
export function LineChart({ label, series, points, unit }: LineChartProps) {
  const known = points.flatMap(({ values }) => series.flatMap(({ key }) => values[key] ?? []));
  const written = (index: number, { key }: Series) => {
    const value = points[index]?.values[key];
    return value == null ? UNKNOWN : unit.format(value);
  };
  return (
    <TimeChart
      label={label}
      series={series}
      points={points}
      top={Math.max(...known, 0)}
      unit={unit}
      draw={({ x, y, active }) => (
        <>
          {active !== null && (
            <line className="chart-grid" x1={x(active)} x2={x(active)} y1={MARGIN.top} y2={y(0)} />
          )}
          {series.map((one, position) => (
            <g key={one.key} stroke={seriesColor(position, one)} fill={seriesColor(position, one)}>
              {stretches(points, one.key).map(stretch => (
                <polyline
                  key={stretch[0]?.index}
                  className="chart-line"
                  points={stretch.map(({ index, value }) => `${x(index)},${y(value)}`).join(" ")}
                />
              ))}
              {points.map((point, index) => {
                const value = point.values[one.key];
                return value == null ? null : <circle key={point.key} cx={x(index)} cy={y(value)} r={2} />;
              })}
            </g>
          ))}
        </>
      )}
      tooltip={index =>
        series.map((one, position) => (
          <TooltipRow key={one.key} series={one} color={seriesColor(position, one)}>
            {written(index, one)}
          </TooltipRow>
        ))
      }
      columns={series.map(one => ({
        key: one.key,
        title: seriesName(one),
        cell: index => written(index, one),
      }))}
    />
  );
}

/** Neighbours that are known: each stretch is one line. */
function stretches(points: readonly LinePoint[], key: string) {
  const found: { readonly index: number; readonly value: number }[][] = [[]];
  for (const [index, { values }] of points.entries()) {
    const value = values[key];
    if (value == null) found.push([]);
    else found.at(-1)?.push({ index, value });
  }
  return found.filter(({ length }) => length > 1);
}
