import { type ScaleLinear, scaleLinear } from "d3-scale";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { shortName } from "../format/name.ts";
import { axisTicks, type ChartUnit } from "./chart-unit.ts";
import { useWidth } from "./use-width.ts";

export interface Series {
  readonly key: string;
  readonly label: string;
  /** One that means something, such as failed; absent: the next of the palette. */
  readonly color?: string;
}

export interface TimePoint {
  /** Unique, such as its start. */
  readonly key: string;
  /** Below the axis. */
  readonly label: string;
  /** In the tooltip: from when to when. */
  readonly title: string;
}

export interface Plot {
  readonly width: number;
  /** Of one point. */
  readonly step: number;
  /** The center of a point. */
  readonly x: (index: number) => number;
  readonly y: ScaleLinear<number, number>;
  /** The point that the tooltip shows. */
  readonly active: number | null;
}

export interface ChartColumn {
  readonly key: string;
  readonly title: string;
  readonly cell: (index: number) => string;
}

interface TimeChartProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly points: readonly TimePoint[];
  /** The largest value. */
  readonly top: number;
  readonly unit: ChartUnit;
  readonly draw: (plot: Plot) => ReactNode;
  /** Rows of the tooltip. */
  readonly tooltip: (index: number) => ReactNode;
  /** Columns of the table, after the time. */
  readonly columns: readonly ChartColumn[];
  /** A click on a series in the legend. */
  readonly onPick?: ((series: Series) => void) | undefined;
}

export const HEIGHT = 240;
export const MARGIN = { top: 12, right: 8, bottom: 24, left: 76 };
const PX_PER_LABEL = 80;
const TOOLTIP_WIDTH = 240;
const MAX_NAME_LETTERS = 40;

export const seriesColor = (index: number, { key, color }: Series) =>
  color ?? (key === "other" ? "var(--series-other)" : `var(--series-${(index % 8) + 1})`);

export const seriesName = ({ label }: Series) => shortName(label, MAX_NAME_LETTERS);

/** Axes over time, a tooltip for pointer and keyboard, a legend, and the same data as a table. */
export function TimeChart(props: TimeChartProps) {
  const { label, series, points, top, unit, draw, tooltip, columns, onPick } = props;
  const { ref, width } = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const inner = Math.max(0, width - MARGIN.left - MARGIN.right);
  const ticks = axisTicks(top, unit);
  const y = scaleLinear()
    .domain([0, ticks.at(-1) || 1])
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const step = points.length === 0 ? 0 : inner / points.length;
  const x = (index: number) => MARGIN.left + (index + 0.5) * step;
  const every = Math.max(1, Math.ceil(points.length / Math.max(1, Math.floor(inner / PX_PER_LABEL))));
  const shown = active === null ? undefined : points[active];

  const handleKey = (event: KeyboardEvent) => {
    const move = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (move === 0) return;
    event.preventDefault();
    setActive(Math.max(0, Math.min(points.length - 1, (active ?? (move > 0 ? -1 : points.length)) + move)));
  };

  return (
    <figure className="chart" ref={ref}>
      <div
        className="chart-area"
        role="img"
        aria-label={`${label}. The arrow keys move through it; a table follows.`}
        tabIndex={0}
        onKeyDown={handleKey}
        onBlur={() => setActive(null)}
        onPointerLeave={() => setActive(null)}
        onPointerMove={event => {
          const left = event.currentTarget.getBoundingClientRect().left;
          const index = Math.floor((event.clientX - left - MARGIN.left) / step);
          setActive(index >= 0 && index < points.length ? index : null);
        }}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {ticks.map(tick => (
            <g key={tick} transform={`translate(0 ${y(tick)})`}>
              <line className="chart-grid" x1={MARGIN.left} x2={width - MARGIN.right} />
              {top > 0 && (
                <text className="chart-label" x={MARGIN.left - 8} dy="0.32em" textAnchor="end">
                  {unit.onAxis(tick, top)}
                </text>
              )}
            </g>
          ))}
          {draw({ width, step, x, y, active })}
          {points.map(
            (point, index) =>
              index % every === 0 && (
                <text
                  key={point.key}
                  className="chart-label"
                  x={x(index)}
                  y={HEIGHT - 6}
                  textAnchor={index === 0 ? "start" : "middle"}
                >
                  {point.label}
                </text>
              ),
          )}
        </svg>
        {active !== null && shown && (
          <div
            className="chart-tooltip"
            role="status"
            style={{ left: tooltipLeft(x(active), width), width: TOOLTIP_WIDTH }}
          >
            <p className="chart-tooltip-title">{shown.title}</p>
            {tooltip(active)}
          </div>
        )}
      </div>
      <ul className="chart-legend">
        {series.map((one, index) => (
          <li key={one.key}>
            <LegendEntry
              color={seriesColor(index, one)}
              onPick={onPick && one.key !== "other" ? () => onPick(one) : undefined}
            >
              {seriesName(one)}
            </LegendEntry>
          </li>
        ))}
      </ul>
      <ChartTable label={label} points={points} columns={columns} />
    </figure>
  );
}

function tooltipLeft(x: number, width: number): number {
  const isRightOfIt = x + 12 + TOOLTIP_WIDTH <= width;
  return Math.max(0, isRightOfIt ? x + 12 : x - 12 - TOOLTIP_WIDTH);
}

interface TooltipRowProps {
  readonly series: Series;
  readonly color: string;
  readonly children: ReactNode;
}

export function TooltipRow({ series, color, children }: TooltipRowProps) {
  return (
    <p className="chart-tooltip-row">
      <span className="chart-swatch" style={{ background: color }} />
      <span className="chart-tooltip-name">{seriesName(series)}</span>
      <span className="figure">{children}</span>
    </p>
  );
}

interface LegendEntryProps {
  readonly color: string;
  readonly onPick: (() => void) | undefined;
  readonly children: ReactNode;
}

function LegendEntry({ color, onPick, children }: LegendEntryProps) {
  const content = (
    <>
      <span className="chart-swatch" style={{ background: color }} />
      {children}
    </>
  );
  if (!onPick) return <span className="chart-key">{content}</span>;
  return (
    <button type="button" className="chart-key" title="Show only this" onClick={onPick}>
      {content}
    </button>
  );
}

function ChartTable({ label, points, columns }: Pick<TimeChartProps, "label" | "points" | "columns">) {
  const id = useId();
  return (
    <details className="chart-data">
      <summary>Show as table</summary>
      <div className="chart-table" role="group" aria-labelledby={id} tabIndex={0}>
        <table>
          <caption id={id}>{label}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {columns.map(({ key, title }) => (
                <th key={key} scope="col" className="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map((point, index) => (
              <tr key={point.key}>
                <th scope="row">{point.title}</th>
                {columns.map(({ key, cell }) => (
                  <td key={key} className="number">
                    {cell(index)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
