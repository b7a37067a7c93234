import { scaleLinear } from "d3-scale";
import { type KeyboardEvent, useId, useState } from "react";
import { UNKNOWN } from "../format/unknown.ts";
import { type Series, seriesColor, useWidth } from "./stacked-bars.tsx";

export interface LinePoint {
  readonly key: string;
  /** Below the axis. */
  readonly label: string;
  /** In the tooltip: from when to when. */
  readonly title: string;
  /** By series; null or absent: not known, which leaves a gap. */
  readonly values: Readonly<Record<string, number | null>>;
}

interface LineChartProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly points: readonly LinePoint[];
  readonly format: (value: number) => string;
}

const HEIGHT = 240;
const MARGIN = { top: 12, right: 8, bottom: 24, left: 76 };
const PX_PER_LABEL = 80;
const TOOLTIP_WIDTH = 220;

/** Lines over time, with gaps where nothing is known, a tooltip for pointer and keyboard, and the same data as a table. */
export function LineChart({ label, series, points, format }: LineChartProps) {
  const { ref, width } = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const id = useId();
  const inner = Math.max(0, width - MARGIN.left - MARGIN.right);
  const known = points.flatMap(({ values }) => series.flatMap(({ key }) => values[key] ?? []));
  const top = Math.max(...known, 0);
  const y = scaleLinear()
    .domain([0, top === 0 ? 1 : top])
    .nice(4)
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
          {y.ticks(4).map(tick => (
            <g key={tick} transform={`translate(0 ${y(tick)})`}>
              <line className="chart-grid" x1={MARGIN.left} x2={width - MARGIN.right} />
              {top > 0 && (
                <text className="chart-label" x={MARGIN.left - 8} dy="0.32em" textAnchor="end">
                  {format(tick)}
                </text>
              )}
            </g>
          ))}
          {active !== null && (
            <line className="chart-grid" x1={x(active)} x2={x(active)} y1={MARGIN.top} y2={y(0)} />
          )}
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
        </svg>
        {active !== null && shown && (
          <div
            className="chart-tooltip"
            role="status"
            style={{
              width: TOOLTIP_WIDTH,
              left: Math.max(
                0,
                x(active) + 12 + TOOLTIP_WIDTH > width ? x(active) - 12 - TOOLTIP_WIDTH : x(active) + 12,
              ),
            }}
          >
            <p className="chart-tooltip-title">{shown.title}</p>
            {series.map((one, position) => (
              <p key={one.key} className="chart-tooltip-row">
                <span className="chart-swatch" style={{ background: seriesColor(position, one) }} />
                <span className="chart-tooltip-name">{one.label}</span>
                <span className="figure">{written(shown.values[one.key], format)}</span>
              </p>
            ))}
          </div>
        )}
      </div>
      <ul className="chart-legend">
        {series.map((one, position) => (
          <li key={one.key} className="chart-key">
            <span className="chart-swatch" style={{ background: seriesColor(position, one) }} />
            {one.label}
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
                <th scope="col">Time</th>
                {series.map(({ key, label: title }) => (
                  <th key={key} scope="col" className="number">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map(point => (
                <tr key={point.key}>
                  <th scope="row">{point.title}</th>
                  {series.map(({ key }) => (
                    <td key={key} className="number">
                      {written(point.values[key], format)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const written = (value: number | null | undefined, format: (value: number) => string) =>
  value == null ? UNKNOWN : format(value);

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
