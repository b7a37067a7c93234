/** The first lines of a list and the number of omitted ones, so that an answer does not fill a model's context. */
export function listLines<T>(items: readonly T[], line: (item: T) => string, atMost = 20): string[] {
  const shown = items.slice(0, atMost).map(item => `- ${line(item)}`);
  const left = items.length - shown.length;
  return left > 0 ? [...shown, `- … and ${left} more in the structured answer`] : shown;
}
