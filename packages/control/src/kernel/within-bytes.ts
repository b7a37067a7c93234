/** The first rows that fit, at least one. Rows can hold user text, so a row count alone bounds nothing. */
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
