import type { Column } from "./data-table.tsx";

/** Downloads the shown columns of the shown rows. */
export function downloadCsv<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const url = URL.createObjectURL(new Blob([toCsv(columns, rows)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const shown = columns.filter(({ value }) => value !== undefined);
  const lines = rows.map(row => shown.map(({ value }) => value?.(row) ?? ""));
  return [shown.map(({ title }) => title), ...lines].map(line => line.map(toField).join(",")).join("\r\n");
}

/** Quoted where needed. A text that a spreadsheet would take for a formula starts with an apostrophe. */
function toField(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
