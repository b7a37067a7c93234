/** A mean score between -1 (clearly worse) and 1 (clearly better). */
export function score(value: number): string {
  const text = value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return value > 0 ? `+${text}` : text === "-0.00" ? "0.00" : text;
}
