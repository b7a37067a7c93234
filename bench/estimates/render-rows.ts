/** A Markdown table that can be pasted into a document. */
export function renderRows<Row>(
  columns: readonly (readonly [title: string, cell: (row: Row) => string])[],
  rows: readonly Row[],
): string {
  const table = [columns.map(([title]) => title), ...rows.map(row => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, column) => Math.max(...table.map(cells => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [header = [], ...body] = table;
  return [line(header), line(widths.map(width => "-".repeat(width))), ...body.map(line)].join("\n");
}
