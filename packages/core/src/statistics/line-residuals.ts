const ROUNDING = 1e-12;

/** The residuals of the least-squares line, by position. */
export function lineResiduals(points: ReadonlyMap<number, number>): Map<number, number> {
  const n = points.size;
  let meanX = 0;
  let meanY = 0;
  for (const [x, y] of points) {
    meanX += x / n;
    meanY += y / n;
  }
  let products = 0;
  let squares = 0;
  for (const [x, y] of points) {
    products += (x - meanX) * (y - meanY);
    squares += (x - meanX) ** 2;
  }
  const slope = squares > 0 ? products / squares : 0;
  return new Map(
    [...points].map(([x, y]) => {
      const rest = y - meanY - slope * (x - meanX);
      // Rounding errors of an exact line must not look like a pattern.
      return [x, Math.abs(rest) <= ROUNDING * Math.max(Math.abs(y), Math.abs(meanY)) ? 0 : rest];
    }),
  );
}
