interface SparklineProps {
  readonly values: readonly number[];
  /** Read aloud. */
  readonly label: string;
}

const WIDTH = 96;
const HEIGHT = 22;

/** A trend without axes, beside the number that it belongs to. */
export function Sparkline({ values, label }: SparklineProps) {
  const top = Math.max(...values, 0);
  const step = values.length === 0 ? 0 : WIDTH / values.length;
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {values.map((value, index) => {
        const height = top === 0 ? 0 : (value / top) * HEIGHT;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar has no other name than its place.
            key={index}
            x={index * step}
            y={HEIGHT - Math.max(height, 1)}
            width={Math.max(0.5, step - (step > 3 ? 1 : 0))}
            height={Math.max(height, 1)}
            data-empty={value === 0 || undefined}
          />
        );
      })}
    </svg>
  );
}
