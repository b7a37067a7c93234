import { scaleLinear } from "d3-scale";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { shortName } from "../format/name.ts";

export interface Series {
  readonly key: string;
  readonly label: string;
  /** One that means something, such as failed; absent: the next of the palette. */
  readonly color?: string;
}

export interface Bucket {
  /** Unique, such as its start. */
  readonly key: string;
  /** Below the axis. */
  readonly label: string;
  /** In the tooltip: from when to when. */
  readonly title: string;
  /** By series; one that is absent has nothing in this bucket. */
  readonly values: Readonly<Record<string, number>>;
}

interface StackedBarsProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly buckets: readonly Bucket[];
  readonly format: (value: number) => string;
  /** A click on a series in the legend or in a bar. */
  readonly onPick?: (series: Series) => void;
  /** A line across, such as a budget. */
  readonly line?: { readonly value: number; readonly label: string };
}

const HEIGHT = 240;
const MARGIN = { top: 12, right: 8, bottom: 24, left: 76 };
const MAX_LABELS_PER_PX = 1 / 80;

export const seriesColor = (index: number, { key, color }: Series) =>
  color ?? (key === "other" ? "var(--series-other)" : `var(--series-${(index % 8) + 1})`);

/** Bars over time, stacked by series, with axes, a tooltip for pointer and keyboard, and the same data as a table. */
export function StackedBars({ label, series, buckets, format, onPick, line }: StackedBarsProps) {
  const { ref, width } = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const id = useId();
  const inner = Math.max(0, width - MARGIN.left - MARGIN.right);
  const sums = buckets.map(({ values }) => series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0));
  const top = Math.max(...sums, line?.value ?? 0, 0);
  const y = scaleLinear()
    .domain([0, top === 0 ? 1 : top])
    .nice(4)
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const step = buckets.length === 0 ? 0 : inner / buckets.length;
  const gap = step > 6 ? Math.min(4, step * 0.2) : 0;
  const every = Math.max(1, Math.ceil(buckets.length / Math.max(1, Math.floor(inner * MAX_LABELS_PER_PX))));

  const handleKey = (event: KeyboardEvent) => {
    const move = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (move === 0) return;
    event.preventDefault();
    setActive(Math.max(0, Math.min(buckets.length - 1, (active ?? (move > 0 ? -1 : buckets.length)) + move)));
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
          const x = event.clientX - event.currentTarget.getBoundingClientRect().left - MARGIN.left;
          const index = Math.floor(x / step);
          setActive(index >= 0 && index < buckets.length ? index : null);
        }}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {top > 0 &&
            y.ticks(4).map(tick => (
              <g key={tick} transform={`translate(0 ${y(tick)})`}>
                <line className="chart-grid" x1={MARGIN.left} x2={width - MARGIN.right} />
                <text className="chart-label" x={MARGIN.left - 8} dy="0.32em" textAnchor="end">
                  {format(tick)}
                </text>
              </g>
            ))}
          {top === 0 && (
            <line className="chart-grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(0)} y2={y(0)} />
          )}
          {buckets.map((bucket, index) => {
            const x = MARGIN.left + index * step;
            let base = 0;
            return (
              <g key={bucket.key} data-bucket={bucket.key}>
                {index === active && (
                  <rect
                    className="chart-band"
                    x={x}
                    y={MARGIN.top}
                    width={step}
                    height={HEIGHT - MARGIN.top - MARGIN.bottom}
                  />
                )}
                {series.map((one, position) => {
                  const value = bucket.values[one.key] ?? 0;
                  if (value <= 0) return null;
                  const [from, to] = [y(base), y(base + value)];
                  base += value;
                  return (
                    <rect
                      key={one.key}
                      x={x + gap / 2}
                      y={to}
                      width={Math.max(1, step - gap)}
                      height={Math.max(0.5, from - to)}
                      fill={seriesColor(position, one)}
                      onClick={() => onPick?.(one)}
                    />
                  );
                })}
                {index % every === 0 && (
                  <text
                    className="chart-label"
                    x={x + step / 2}
                    y={HEIGHT - 6}
                    textAnchor={index === 0 ? "start" : "middle"}
                  >
                    {bucket.label}
                  </text>
                )}
              </g>
            );
          })}
          {line && (
            <g transform={`translate(0 ${y(line.value)})`}>
              <line className="chart-limit" x1={MARGIN.left} x2={width - MARGIN.right} />
              <text className="chart-label" x={width - MARGIN.right} dy="-4" textAnchor="end">
                {line.label}
              </text>
            </g>
          )}
        </svg>
        {active !== null && buckets[active] && (
          <Tooltip
            x={MARGIN.left + (active + 0.5) * step}
            width={width}
            bucket={buckets[active]}
            series={series}
            sum={sums[active] ?? 0}
            format={format}
          />
        )}
      </div>
      <ul className="chart-legend">
        {series.map((one, index) => (
          <li key={one.key}>
            <LegendEntry
              color={seriesColor(index, one)}
              onPick={onPick && one.key !== "other" ? () => onPick(one) : undefined}
            >
              {shortName(one.label, 40)}
            </LegendEntry>
          </li>
        ))}
      </ul>
      <details className="chart-data">
        <summary>Show as table</summary>
        <div className="chart-table" role="group" aria-labelledby={id} tabIndex={0}>
          <table>
            <caption id={id}>{label}</caption>
            <thead>
              <tr>
                <th scope="col">When</th>
                {series.map(({ key, label: name }) => (
                  <th scope="col" key={key} className="number">
                    {shortName(name, 40)}
                  </th>
                ))}
                <th scope="col" className="number">
                  Sum
                </th>
              </tr>
            </thead>
            <tbody>
              {buckets.map((bucket, index) => (
                <tr key={bucket.key}>
                  <th scope="row">{bucket.title}</th>
                  {series.map(({ key }) => (
                    <td key={key} className="number">
                      {format(bucket.values[key] ?? 0)}
                    </td>
                  ))}
                  <td className="number">{format(sums[index] ?? 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
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

interface TooltipProps {
  readonly x: number;
  readonly width: number;
  readonly bucket: Bucket;
  readonly series: readonly Series[];
  readonly sum: number;
  readonly format: (value: number) => string;
}

const TOOLTIP_WIDTH = 240;

function Tooltip({ x, width, bucket, series, sum, format }: TooltipProps) {
  const left = Math.max(
    0,
    Math.min(width - TOOLTIP_WIDTH, x + 12 > width - TOOLTIP_WIDTH ? x - TOOLTIP_WIDTH - 12 : x + 12),
  );
  const rows = series
    .map((one, index) => ({ one, color: seriesColor(index, one), value: bucket.values[one.key] ?? 0 }))
    .filter(({ value }) => value > 0)
    .reverse();
  return (
    <div className="chart-tooltip" style={{ left, width: TOOLTIP_WIDTH }} role="status">
      <p className="chart-tooltip-title">{bucket.title}</p>
      {rows.map(({ one, color, value }) => (
        <p key={one.key} className="chart-tooltip-row">
          <span className="chart-swatch" style={{ background: color }} />
          <span className="chart-tooltip-name">{shortName(one.label, 40)}</span>
          <span className="figure">{format(value)}</span>
        </p>
      ))}
      <p className="chart-tooltip-row chart-tooltip-sum">
        <span className="chart-tooltip-name">Sum</span>
        <span className="figure">{format(sum)}</span>
      </p>
    </div>
  );
}

export function useWidth() {
  const ref = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}
