import { median } from "./median.ts";

interface Line {
  readonly slope: number;
  /** At x = 0: the median residual of the slope. */
  readonly intercept: number;
}

/**
 * The median of the slopes of all pairs: a line that a few outliers do not tilt. Points with the same x give no slope.
 * null: fewer than two distinct x.
 */
export function theilSen(points: readonly (readonly [x: number, y: number])[]): Line | null {
  const slopes: number[] = [];
  points.forEach(([x0, y0], i) => {
    for (const [x1, y1] of points.slice(i + 1)) {
      if (x1 !== x0) {
        slopes.push((y1 - y0) / (x1 - x0));
      }
    }
  });
  const slope = median(slopes);
  if (slope === null) {
    return null;
  }
  const intercept = median(points.map(([x, y]) => y - slope * x));
  return intercept === null ? null : { slope, intercept };
}
