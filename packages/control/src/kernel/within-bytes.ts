/**
 * As many of the first rows as fit, and one at least. Where people keep text of their own in a row, a number of rows
 * bounds nothing.
 */
export function withinBytes<Row>(
  rows: readonly Row[],
  bytesOf: (row: Row) => number,
  maxBytes: number,
): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += bytesOf(row);
    return index > 0 && bytes > maxBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
